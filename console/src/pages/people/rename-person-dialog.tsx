import { useState } from 'react';
import { changePerson, type Person, peopleQuery } from '../../api/people.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { Problem } from '../../design/states.tsx';

export function RenamePersonDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const [name, setName] = useState(person.name);
  const rename = useChange(() => changePerson(person.id, { name }), { refresh: peopleQuery.queryKey, onDone: onClose });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Change the name"
      lead={person.email}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="rename-person" isBusy={rename.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="rename-person"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        {rename.error && <Problem isInline error={rename.error} />}
        <TextField
          label="Name"
          required
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
