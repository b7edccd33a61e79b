import { useQuery } from '@tanstack/react-query';
import { useProject } from '../../api/project.tsx';
import { modelsQuery } from '../../api/project-queries.ts';
import { Page } from '../../design/page.tsx';
import { Empty, NoPermission, Problem, Skeleton } from '../../design/states.tsx';
import { Studio } from './studio.tsx';

/** What will I get, when, for how much? */
export function CreatePage() {
  const { kinora, key, may } = useProject();
  const { data, error, refetch } = useQuery(modelsQuery({ kinora, key }));
  if (!may('developer')) {
    return (
      <Page title="Create">
        <NoPermission>
          Viewers can watch the queue and the gallery. To create videos, ask an admin of the project for the role
          developer.
        </NoPermission>
      </Page>
    );
  }
  return (
    <Page title="Create">
      {data ? (
        data.length > 0 ? (
          <Studio models={data} />
        ) : (
          <Empty title="There is no model yet">
            The operator of this installation has to add one to its models file. Then you can create videos here.
          </Empty>
        )
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <StudioSkeleton />
      )}
    </Page>
  );
}

function StudioSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-8 lg:grid-cols-[minmax(340px,420px)_minmax(0,1fr)]">
      <div className="flex flex-col gap-4">
        <Skeleton className="h-44" />
        <Skeleton className="h-14" />
        <Skeleton className="h-8" />
        <Skeleton className="h-14" />
      </div>
      <Skeleton className="aspect-video max-h-[68dvh]" />
    </div>
  );
}
