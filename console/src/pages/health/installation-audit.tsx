import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type OperatorAuditEvent, operatorAuditQuery } from '../../api/health.ts';
import { peopleQuery } from '../../api/people.ts';
import { useSession } from '../../api/session.ts';
import { Copyable } from '../../design/copyable.tsx';
import { LoadMore } from '../../design/load-more.tsx';
import { Moment } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { Problem, SkeletonRows } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { installationActionText } from './installation-words.ts';

/** Lists the audit events of the whole installation, newest first. */
export function InstallationAudit() {
  const list = useInfiniteQuery(operatorAuditQuery);
  const { data: people } = useQuery(peopleQuery);
  const { projects } = useSession();
  const events = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const actorOf = ({ actor }: OperatorAuditEvent): string => {
    if (actor.person_id) return people?.find(({ id }) => id === actor.person_id)?.name ?? actor.person_id;
    if (actor.operator) return actor.command ? `${actor.operator} (${actor.command})` : actor.operator;
    return actor.key_id ? `key …${actor.key_id.slice(-6)}` : 'Unknown';
  };
  return (
    <Section title="Audit log of the installation">
      {list.isPending && <SkeletonRows />}
      {list.isError && events.length === 0 && (
        <Problem isInline error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && events.length === 0 && (
        <p className="py-2 text-quiet">
          No events yet. Sign-ins, changes by operators and events in projects appear here.
        </p>
      )}
      {events.length > 0 && (
        <>
          <Table
            caption="Audit events of all projects"
            rows={events}
            keyOf={({ id }) => id}
            columns={[
              { head: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
              { head: 'Action', cell: ({ action }) => <span title={action}>{installationActionText(action)}</span> },
              { head: 'Who', cell: actorOf },
              {
                head: 'Project',
                cell: ({ project_id }) => projects.find(({ id }) => id === project_id)?.name ?? project_id,
                isMinor: true,
              },
              {
                head: 'Object',
                cell: ({ object_id }) => object_id !== null && <Copyable text={object_id} label="object id" />,
                isMinor: true,
              },
              { head: 'Address', cell: ({ address }) => address, isMinor: true },
            ]}
          />
          <LoadMore list={list} />
        </>
      )}
    </Section>
  );
}
