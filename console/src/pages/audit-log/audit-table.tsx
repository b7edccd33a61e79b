import type { AuditEvent } from '@kinora/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, CircleHelp, KeyRound, UserRound, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { type CallerName, useCallers } from '../../api/callers.ts';
import { membersQuery } from '../../api/people.ts';
import { useProject } from '../../api/project.tsx';
import { useSession } from '../../api/session.ts';
import { Copyable } from '../../design/copyable.tsx';
import { Moment } from '../../design/moment.tsx';
import { Table } from '../../design/table.tsx';
import { actionText, detailFacts } from './audit-words.ts';

/** The names that are known, by the ids of keys and people. */
interface Names {
  callers: ReadonlyMap<string, CallerName>;
  people: ReadonlyMap<string, string>;
}

/** Lists audit events: the time, the actor, the action and the address. */
export function AuditTable({ events }: { events: readonly AuditEvent[] }) {
  const { id: project } = useProject();
  const { person } = useSession();
  const members = useQuery(membersQuery(project));
  const names: Names = {
    callers: useCallers(),
    // Operators need not be members of the project.
    people: new Map([
      [person.id, person.name],
      ...(members.data ?? []).map((one) => [one.person_id, one.name] as const),
    ]),
  };
  return (
    <Table
      caption="Audit events, newest first"
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'When',
          className: 'w-24 align-top text-quiet max-md:w-16',
          cell: ({ created_at }) => <Moment at={created_at} />,
        },
        {
          head: 'Who',
          className: 'w-56 max-w-56 align-top max-md:w-28 max-md:max-w-28',
          cell: ({ actor }) => <Actor actor={actor} names={names} />,
        },
        { head: 'Action', className: 'align-top', cell: (event) => <Event event={event} names={names} /> },
        {
          head: 'From',
          isMinor: true,
          className: 'w-40 align-top',
          cell: ({ address }) => <span className="font-mono text-small text-quiet">{address ?? '–'}</span>,
        },
      ]}
    />
  );
}

function Actor({ actor, names: { callers, people } }: { actor: AuditEvent['actor']; names: Names }) {
  const { type, key_id, person_id } = actor;
  const caller = key_id === null ? undefined : callers.get(key_id);
  if (type === 'person' || caller?.type === 'person') {
    const name = caller?.name ?? people.get(person_id ?? '') ?? 'A person';
    return <Named icon={<UserRound aria-label="Person" />} name={name} />;
  }
  if (type === 'operator') return <Named icon={<Wrench aria-label="Operator" />} name="An operator" />;
  if (type === 'unknown' || key_id === null) {
    return <Named icon={<CircleHelp aria-label="Unknown" />} name="Unknown caller" />;
  }
  return (
    <Named
      icon={<KeyRound aria-label="Key" />}
      name={caller ? caller.name : `…${key_id.slice(-8)}`}
      note={caller && `…${caller.last_four}`}
    />
  );
}

function Named({ icon, name, note }: { icon: ReactNode; name: string; note?: string | undefined }) {
  return (
    <span className="flex min-w-0 items-baseline gap-1.5 [&_svg]:size-3.5 [&_svg]:shrink-0 [&_svg]:self-center max-md:[&_svg]:hidden [&_svg]:text-quiet">
      {icon}
      <span className="min-w-0 break-words md:truncate" title={name}>
        {name}
      </span>
      {note && <span className="font-mono text-small text-quiet max-md:hidden">{note}</span>}
    </span>
  );
}

function Event({ event, names: { callers, people } }: { event: AuditEvent; names: Names }) {
  const facts: [string, ReactNode][] = [
    ...detailFacts(event.detail),
    ...(event.object_id ? ([['object', <Thing key="object" id={event.object_id} />]] as [string, ReactNode][]) : []),
    ['action', <code key="action">{event.action}</code>],
    ...(event.address ? ([['address', event.address]] as [string, ReactNode][]) : []),
    ...(event.user_agent ? ([['program', event.user_agent]] as [string, ReactNode][]) : []),
    ...(event.request_id
      ? ([['request', <Copyable key="request" text={event.request_id} label="request id" />]] as [string, ReactNode][])
      : []),
  ];
  const known = callers.get(event.object_id ?? '')?.name ?? people.get(event.object_id ?? '');
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none items-start gap-1 hover:text-accent">
        <ChevronRight aria-hidden="true" className="h-5 w-3.5 shrink-0 text-quiet group-open:rotate-90" />
        <span className="min-w-0 break-words">
          <span className="font-medium">{actionText(event.action)}</span>
          {known && <span className="text-quiet"> “{known}”</span>}
        </span>
      </summary>
      <dl className="mt-1 mb-1 ml-4.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-small">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Shows the id of the changed object. The id of a task links to its page. */
function Thing({ id }: { id: string }) {
  const { id: project, mode } = useProject();
  if (!id.startsWith('task_')) return <Copyable text={id} label="id" />;
  return (
    <Link
      to="/p/$project/$mode/tasks/$task"
      params={{ project, mode, task: id }}
      className="font-mono text-accent hover:underline"
    >
      {id}
    </Link>
  );
}
