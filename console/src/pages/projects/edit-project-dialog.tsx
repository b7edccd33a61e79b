import { useState } from 'react';
import { allProjectsQuery, changeProject, type ManagedProject } from '../../api/all-projects.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { Problem } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { changeOf, limitFields, problemOfLimit, textsOf } from './project-limits.ts';

/** The name and the limits of a project. */
export function EditProjectDialog({ project, onClose }: { project: ManagedProject; onClose: () => void }) {
  const [name, setName] = useState(project.name);
  const [texts, setTexts] = useState(() => textsOf(project));
  const problems = limitFields.map((field) => problemOfLimit(field, texts[field.name]));
  const change = changeOf(project, name, texts);
  const save = useChange(() => changeProject(project.id, change), {
    refresh: allProjectsQuery.queryKey,
    onDone: () => {
      toast(`${name} saved.`);
      onClose();
    },
  });
  const canSave = Object.keys(change).length > 0 && problems.every((problem) => problem === null);
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={`Edit ${project.name}`}
      lead="If you raise a limit, waiting tasks start at once. If you lower it, nothing is cancelled: it applies as tasks end."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="edit-project" disabled={!canSave} isBusy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="edit-project"
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) save.mutate();
        }}
      >
        {save.error && (
          <div className="sm:col-span-2">
            <Problem isInline error={save.error} />
          </div>
        )}
        <TextField label="Name" className="sm:col-span-2" required maxLength={100} value={name} onChange={setName} />
        {limitFields.map((field, index) => (
          <TextField
            key={field.name}
            label={field.label}
            hint={field.hint}
            problem={problems[index]}
            inputMode="decimal"
            isMono
            value={texts[field.name]}
            onChange={(text) => setTexts({ ...texts, [field.name]: text })}
          />
        ))}
      </form>
    </Dialog>
  );
}
