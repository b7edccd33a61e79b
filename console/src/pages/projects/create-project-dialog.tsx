import { useState } from 'react';
import { allProjectsQuery, createProject } from '../../api/all-projects.ts';
import { useChange } from '../../api/use-change.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
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
    <FormDialog
      title="Create a project"
      lead="A project has its own keys, tasks, files, limits and members, in live and in test mode. It starts with the default limits."
      action="Create"
      isBusy={create.isPending}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      {create.error && <Problem isInline error={create.error} />}
      <TextField label="Name" required autoFocus maxLength={100} value={name} onChange={setName} />
    </FormDialog>
  );
}
