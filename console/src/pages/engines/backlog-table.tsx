import { useQuery } from '@tanstack/react-query';
import { backlogQuery } from '../../api/engines.ts';
import { formatCount } from '../../design/format.ts';
import { Moment } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { Problem, SkeletonRows } from '../../design/states.tsx';
import { Label } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';

/** Lists the running and waiting tasks of each project. */
export function BacklogTable() {
  const { data, error, refetch } = useQuery(backlogQuery);
  return (
    <Section title="Backlog per project">
      {data === undefined && !error && <SkeletonRows count={3} />}
      {data === undefined && error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="py-2 text-quiet">No project has running or waiting tasks.</p>}
      {data && data.length > 0 && (
        <Table
          caption="Projects with running or waiting tasks"
          rows={data}
          keyOf={({ project_id, livemode }) => `${project_id}/${livemode}`}
          columns={[
            {
              head: 'Project',
              cell: ({ name, livemode }) => (
                <span className="flex items-center gap-2">
                  <span className="truncate">{name}</span>
                  {!livemode && <Label tone="test">test</Label>}
                </span>
              ),
            },
            { head: 'Running', cell: ({ running }) => formatCount(running), isNumber: true },
            { head: 'Waiting', cell: ({ waiting }) => formatCount(waiting), isNumber: true },
            {
              head: 'Oldest waiting since',
              cell: ({ oldest_waiting_at }) => (oldest_waiting_at === null ? '' : <Moment at={oldest_waiting_at} />),
              isNumber: true,
            },
            { head: 'Weight', cell: ({ weight }) => weight, isNumber: true, isMinor: true },
          ]}
        />
      )}
    </Section>
  );
}
