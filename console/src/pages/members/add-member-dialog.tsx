import { useState } from 'react';
import { addMember, membersQuery } from '../../api/people.ts';
import type { ProjectRole } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Select } from '../../design/select.tsx';
import { Problem } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { roleMeanings, roleOptions } from '../people/role-words.ts';
import type { SetupLink } from '../people/setup-link.tsx';

/** Gives somebody a role in the project. Those who are new here get a link that sets a password. */
export function AddMemberDialog({
  project,
  onClose,
  onLink,
}: {
  project: { id: string; name: string };
  onClose: () => void;
  onLink: (link: SetupLink) => void;
}) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<ProjectRole>('developer');
  const add = useChange(() => addMember(project.id, { email, ...(name ? { name } : {}), role }), {
    refresh: membersQuery(project.id).queryKey,
    onDone: ({ setup_url }) => {
      onClose();
      if (setup_url) onLink({ name: name || email, url: setup_url });
      else toast(`${email} is now a member.`);
    },
  });
  return (
    <FormDialog
      title={`Add a member to ${project.name}`}
      lead="The role applies to live and test mode. If the person is new, you get a link that lets them set a password."
      action="Add"
      isBusy={add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      {add.error && <Problem isInline error={add.error} />}
      <TextField
        label="E-mail address"
        type="email"
        required
        autoFocus
        maxLength={254}
        value={email}
        onChange={setEmail}
        hint="For signing in. Kinora sends no e-mail."
      />
      <TextField label="Name" maxLength={100} value={name} onChange={setName} hint="Only needed for a new person." />
      <Select label="Role" options={roleOptions} value={role} onChange={setRole} hint={roleMeanings[role]} />
    </FormDialog>
  );
}
