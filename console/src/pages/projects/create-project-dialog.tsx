import { useState } from 'react';
import { allProjectsQuery, createProject } from '../../api/all-projects.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { Problem } from '../../design/states.tsx';

export function CreateProjectDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState('');
  const create = useChange(() => createProject(name), {
    refresh: allProjectsQuery.queryKey,
    onDone: () => {
      onCreated();
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create a project"
      lead="A project has its own keys, tasks, files, limits and members, in live and in test mode. It starts with the default limits."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="create-project" isBusy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form
        id="create-project"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        {create.error && <Problem isInline error={create.error} />}
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
