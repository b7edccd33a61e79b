import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../../api/health.ts';
import { formatCount } from '../../design/format.ts';
import { Moment } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { SkeletonRows } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';

/** The processes that run, and what keeps them from their work. */
export function RoleList() {
  const { data } = useQuery(healthQuery);
  const roles = data?.roles;
  if (roles === null) return null; // the part list says that Postgres is away
  return (
    <Section title="Roles">
      {!roles && <SkeletonRows count={3} />}
      {roles?.problems.map(({ reason, remedy }) => (
        <p key={reason} className="py-1">
          <span className="text-failed">{reason}</span> <span className="text-quiet">{remedy}</span>
        </p>
      ))}
      {roles && (
        <Table
          caption="Processes of the service"
          rows={roles.processes}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Roles', cell: ({ roles: names }) => names.join(', ') },
            {
              head: 'State',
              cell: ({ is_silent, silent_seconds }) => (
                <StatusDot tone={is_silent ? 'failed' : 'live'}>
                  {is_silent ? `Silent for ${formatCount(silent_seconds)} s` : 'Running'}
                </StatusDot>
              ),
            },
            { head: 'Version', cell: ({ version }) => version },
            { head: 'Host', cell: ({ host }) => host, isMinor: true },
            {
              head: 'Endpoints',
              cell: ({ owned_endpoints }) => (owned_endpoints === null ? '' : formatCount(owned_endpoints)),
              isNumber: true,
            },
            { head: 'Started', cell: ({ started_at }) => <Moment at={started_at} />, isNumber: true },
          ]}
        />
      )}
    </Section>
  );
}
