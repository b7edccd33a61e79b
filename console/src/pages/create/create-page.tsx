import { useQuery } from '@tanstack/react-query';
import { useProject } from '../../api/project.tsx';
import { modelsQuery } from '../../api/project-queries.ts';
import { Page } from '../../design/page.tsx';
import { Empty, NoPermission, Problem, Skeleton } from '../../design/states.tsx';
import { Studio } from './studio.tsx';

/** The page on which people create videos, with an estimate of size, time and price. */
export function CreatePage() {
  const { kinora, key, may } = useProject();
  const { data, error, refetch } = useQuery(modelsQuery({ kinora, key }));
  if (!may('developer')) {
    return (
      <Page title="Create">
        <NoPermission>
          Viewers can see the queue and the gallery. To create videos, ask a project admin for the developer role.
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
          <Empty title="No models yet">
            An operator has to add a model to the models file. Then you can create videos here.
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
