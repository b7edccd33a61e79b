import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import type { Person } from '../../api/people.ts';
import { useSession } from '../../api/session.ts';
import { IconButton } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Moment } from '../../design/moment.tsx';
import { Label, StatusDot } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { PersonName } from './person-name.tsx';

/** The menu of the actions that an operator can take on a person. */
export interface PersonActions {
  onRename: (person: Person) => void;
  onReset: (person: Person) => void;
  onOperator: (person: Person) => void;
  onDisable: (person: Person) => void;
  onEnable: (person: Person) => void;
}

export function PeopleTable({ people, actions }: { people: readonly Person[]; actions: PersonActions }) {
  return (
    <Table
      caption="People"
      rows={people}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Person',
          cell: ({ name, email, disabled_at }) => (
            <PersonName name={name} email={email} isQuiet={disabled_at !== null} />
          ),
        },
        { head: 'Role', cell: (person) => <Standing person={person} /> },
        { head: 'Projects', cell: ({ projects }) => <ProjectsOf projects={projects} />, isMinor: true },
        {
          head: 'Last sign-in',
          cell: ({ last_signed_in_at }) =>
            last_signed_in_at === null ? <span className="text-quiet">Never</span> : <Moment at={last_signed_in_at} />,
          isMinor: true,
        },
        {
          head: 'Actions',
          className: 'w-8 text-right [th&]:text-transparent',
          cell: (person) => <ActionMenu person={person} actions={actions} />,
        },
      ]}
    />
  );
}

function Standing({ person: { disabled_at, is_operator } }: { person: Person }) {
  if (disabled_at !== null) return <StatusDot tone="failed">Disabled</StatusDot>;
  return is_operator ? <Label tone="live">operator</Label> : null;
}

function ProjectsOf({ projects }: { projects: Person['projects'] }) {
  if (projects.length === 0) return <span className="text-quiet">None</span>;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-0.5">
      {projects.map(({ id, name, role }) => (
        <li key={id} className="whitespace-nowrap">
          <Link
            to="/p/$project/$mode/members"
            params={{ project: id, mode: 'live' }}
            className="underline decoration-line-strong underline-offset-2 hover:text-accent"
          >
            {name}
          </Link>
          <span className="text-small text-quiet"> {role}</span>
        </li>
      ))}
    </ul>
  );
}

function ActionMenu({ person, actions }: { person: Person; actions: PersonActions }) {
  const { person: self } = useSession();
  // Nobody locks themselves out by a slip; the server refuses it, too.
  const isSelf = person.id === self.id;
  const isDisabled = person.disabled_at !== null;
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${person.name}`}>
          <Ellipsis />
        </IconButton>
      }
      actions={[
        { label: 'Change the name', onSelect: () => actions.onRename(person) },
        { label: 'Create a password link', isDisabled, onSelect: () => actions.onReset(person) },
        {
          label: person.is_operator ? 'Remove operator role' : 'Make operator',
          isDisabled: isSelf,
          onSelect: () => actions.onOperator(person),
        },
        null,
        isDisabled
          ? { label: 'Enable', onSelect: () => actions.onEnable(person) }
          : { label: 'Disable', isDanger: true, isDisabled: isSelf, onSelect: () => actions.onDisable(person) },
      ]}
    />
  );
}
