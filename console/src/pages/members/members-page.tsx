import { useQuery } from '@tanstack/react-query';
import { UserRoundMinus, UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import { type Member, membersQuery, removeMember, setMemberRole } from '../../api/people.ts';
import { useProject } from '../../api/project.tsx';
import { type ProjectRole, useSession } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { Moment } from '../../design/moment.tsx';
import { Page } from '../../design/page.tsx';
import { Select } from '../../design/select.tsx';
import { Empty, NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { toast } from '../../design/toasts.tsx';
import { PersonName } from '../people/person-name.tsx';
import { roleMeanings, roleOptions } from '../people/role-words.ts';
import { type SetupLink, SetupLinkDialog } from '../people/setup-link.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';

type Open = { add: true } | { link: SetupLink } | { remove: Member };

export function MembersPage() {
  const { may } = useProject();
  if (!may('admin')) {
    return (
      <Page title="Members">
        <NoPermission>Only project admins can manage members.</NoPermission>
      </Page>
    );
  }
  return <Members />;
}

function Members() {
  const { id, name } = useProject();
  const query = membersQuery(id);
  const { data, error, refetch } = useQuery(query);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const remove = useChange((member: Member) => removeMember(id, member.person_id), {
    refresh: query.queryKey,
    onDone: (_, member) => toast(`${member.name} is no longer a member.`),
  });
  const addButton = (
    <Button look="primary" onClick={() => setOpen({ add: true })}>
      <UserRoundPlus />
      Add a member
    </Button>
  );
  return (
    <Page
      title="Members"
      lead={`Roles in ${name}, for live and test mode. Operators have the admin role without being listed.`}
      actions={data && data.length > 0 && addButton}
    >
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={4} />}
      {data?.length === 0 && (
        <Empty title="No members yet" action={addButton}>
          Add the people who use this project in the console. Programs need an API key instead.
        </Empty>
      )}
      {data && data.length > 0 && (
        <>
          <MemberTable projectId={id} members={data} onRemove={(member) => setOpen({ remove: member })} />
          <dl className="mt-6 grid max-w-2xl gap-x-4 gap-y-1 text-small text-quiet sm:grid-cols-[6rem_1fr]">
            {roleOptions.map(({ value, label }) => (
              <div key={value} className="contents">
                <dt className="font-medium text-ink">{label}</dt>
                <dd className="max-sm:mb-2">{roleMeanings[value]}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {open && 'add' in open && (
        <AddMemberDialog project={{ id, name }} onClose={close} onLink={(link) => setOpen({ link })} />
      )}
      {open && 'link' in open && <SetupLinkDialog link={open.link} onClose={close} />}
      {open && 'remove' in open && (
        <ConfirmDialog
          title={`Remove ${open.remove.name}?`}
          action="Remove"
          dismissal="Cancel"
          isDanger
          onConfirm={() => remove.mutateAsync(open.remove)}
          onClose={close}
        >
          They lose access to {name} at once. Their tasks and API keys stay. You can add them again.
        </ConfirmDialog>
      )}
    </Page>
  );
}

function MemberTable({
  projectId,
  members,
  onRemove,
}: {
  projectId: string;
  members: readonly Member[];
  onRemove: (member: Member) => void;
}) {
  const { person } = useSession();
  const change = useChange(
    ({ member, role }: { member: Member; role: ProjectRole }) => setMemberRole(projectId, member.person_id, role),
    {
      refresh: membersQuery(projectId).queryKey,
      onDone: (_, { member, role }) => toast(`${member.name} now has the role ${role}.`),
      onFailed: (error) => toast(error.message),
    },
  );
  return (
    <Table
      caption="Members"
      rows={members}
      keyOf={({ person_id }) => person_id}
      columns={[
        { head: 'Person', cell: ({ name, email }) => <PersonName name={name} email={email} /> },
        {
          head: 'Role',
          cell: (member) => (
            <>
              <Select
                label={`Role of ${member.name}`}
                isBare
                className="w-32"
                options={roleOptions}
                value={member.role}
                isDisabled={member.person_id === person.id && !person.is_operator}
                onChange={(role) => change.mutate({ member, role })}
              />
              {member.is_from_groups && (
                <p className="mt-0.5 text-small text-quiet">Set by a group until you change it</p>
              )}
            </>
          ),
        },
        {
          head: 'Last sign-in',
          cell: ({ last_signed_in_at }) =>
            last_signed_in_at === null ? <span className="text-quiet">Never</span> : <Moment at={last_signed_in_at} />,
          isMinor: true,
        },
        {
          head: 'Actions',
          className: 'w-8 text-right [th&]:text-transparent',
          cell: (member) => (
            <IconButton label={`Remove ${member.name}`} onClick={() => onRemove(member)}>
              <UserRoundMinus />
            </IconButton>
          ),
        },
      ]}
    />
  );
}
