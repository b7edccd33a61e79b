import { useState } from 'react';
import { changePerson, type Person, peopleQuery } from '../../api/people.ts';
import { useChange } from '../../api/use-change.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Problem } from '../../design/states.tsx';

export function RenamePersonDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const [name, setName] = useState(person.name);
  const rename = useChange(() => changePerson(person.id, { name }), { refresh: peopleQuery.queryKey, onDone: onClose });
  return (
    <FormDialog
      title="Change the name"
      lead={person.email}
      action="Save"
      isBusy={rename.isPending}
      onSubmit={() => rename.mutate()}
      onClose={onClose}
    >
      {rename.error && <Problem isInline error={rename.error} />}
      <TextField label="Name" required autoFocus maxLength={100} value={name} onChange={setName} />
    </FormDialog>
  );
}
