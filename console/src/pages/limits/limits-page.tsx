import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../api/project.tsx';
import { limitsQuery } from '../../api/project-queries.ts';
import { useSession } from '../../api/session.ts';
import { Page, Section } from '../../design/page.tsx';
import { Meter } from '../../design/progress.tsx';
import { Problem, SkeletonRows } from '../../design/states.tsx';
import { type LimitRow, limitGroups } from './limit-rows.ts';

/** The page that shows the limits of a project and their use. */
export function LimitsPage() {
  const { kinora, key, mode } = useProject();
  const { person } = useSession();
  const { data, error, refetch } = useQuery({ ...limitsQuery({ kinora, key }), refetchInterval: 3_000 });
  return (
    <Page
      title="Limits"
      lead={
        <>
          The limits of this project in {mode} mode, and its current use. Live and test mode have separate limits.{' '}
          {person.is_operator ? (
            <>
              You can change them under{' '}
              <Link to="/projects" className="text-accent underline">
                Projects
              </Link>
              .
            </>
          ) : (
            'An operator of this installation can change them.'
          )}
        </>
      }
    >
      {data ? (
        limitGroups(data).map(({ title, rows }) => (
          <Section key={title} title={title}>
            <ul className="divide-y">
              {rows.map((row) => (
                <Limit key={row.name} row={row} />
              ))}
            </ul>
          </Section>
        ))
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows count={7} />
      )}
    </Page>
  );
}

function Limit({ row: { name, used, limit, text, atLimit, mayBeFull = false } }: { row: LimitRow }) {
  return (
    <li className="grid gap-x-8 gap-y-1 py-3 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div>
        <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3">
          <h3 className="font-medium">{name}</h3>
          <span className="font-mono text-small text-quiet">{text}</span>
        </div>
        <Meter label={`${name}: ${text}`} used={used} limit={limit} mayBeFull={mayBeFull} />
      </div>
      <p className="text-quiet">
        <span className="text-small font-medium">At the limit: </span>
        {atLimit}
      </p>
    </li>
  );
}
