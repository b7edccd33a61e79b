import { useState } from 'react';
import { addPerson, peopleQuery } from '../../api/people.ts';
import { useChange } from '../../api/use-change.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Problem } from '../../design/states.tsx';
import { Switch } from '../../design/switch.tsx';
import type { SetupLink } from './setup-link.tsx';

/** Makes somebody who can sign in. They see nothing until they get a role in a project or become operator. */
export function AddPersonDialog({ onClose, onLink }: { onClose: () => void; onLink: (link: SetupLink) => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [isOperator, setIsOperator] = useState(false);
  const add = useChange(() => addPerson({ email, ...(name ? { name } : {}), is_operator: isOperator }), {
    refresh: peopleQuery.queryKey,
    onDone: ({ setup_url }) => {
      onClose();
      if (setup_url) onLink({ name: name || email, url: setup_url });
    },
  });
  return (
    <FormDialog
      title="Add a person"
      lead="You get a link that lets them set a password. Give them roles on the Members page of a project."
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
      <TextField label="Name" maxLength={100} value={name} onChange={setName} />
      <div>
        <Switch label="Operator" isOn={isOperator} onChange={setIsOperator} />
        <p className="mt-1 text-small text-quiet">
          Operators run the installation: engines, projects and people. They are admin of every project.
        </p>
      </div>
    </FormDialog>
  );
}
