import type { Task } from '@kinora/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Braces, Copy, Dices, Download, MoreHorizontal, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { useProject } from '../../api/project.tsx';
import { useSession } from '../../api/session.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Menu } from '../../design/menu.tsx';
import { saveAs } from '../../design/save-as.ts';
import { toast } from '../../design/toasts.tsx';
import { CodeTabs } from '../../request-code/code-tabs.tsx';
import { knownImageOfTask } from '../../tasks/known-images.ts';
import { searchOfTask } from '../create/create-search.ts';
import { requestOfTask } from './request-of-task.ts';

/** Buttons for the actions on a task. */
export function TaskActions({ task }: { task: Task }) {
  const { id: project, mode, kinora, key, may } = useProject();
  const { api_url } = useSession();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'code' | 'cancel' | 'delete' | null>(null);
  const image = knownImageOfTask(task.image?.sha256);
  const make = (kind: 'again' | 'variation'): void => {
    const search = searchOfTask(task, kind, image?.file.id);
    void navigate({ to: '/p/$project/$mode/create', params: { project, mode }, search });
    if (task.image && !image) toast('Add the image again: Kinora does not return images.');
  };
  const download = (): void => {
    if (task.video?.url) void saveAs(task.video.url, `${task.id}.mp4`).catch(() => toast('The download failed.'));
  };
  const cancel = async (): Promise<void> => {
    queryClient.setQueryData([...key, 'task', task.id], await kinora.videos.cancel(task));
  };
  const remove = async (): Promise<void> => {
    await withFreshSignIn(() => kinora.videos.delete(task));
    // Lists that were loaded before would go on showing it.
    for (const shown of [['task', task.id], ['gallery'], ['queue'], ['found']])
      queryClient.removeQueries({ queryKey: [...key, ...shown] });
    toast('The task was deleted.');
    await navigate({ to: '/p/$project/$mode/gallery', params: { project, mode } });
  };
  return (
    <>
      {may('developer') && (
        <>
          <Button onClick={() => make('again')}>
            <Copy /> Make again
          </Button>
          <Button onClick={() => make('variation')}>
            <Dices /> Make a variation
          </Button>
        </>
      )}
      <Button onClick={() => setOpen('code')}>
        <Braces /> Copy as code
      </Button>
      {task.video?.url && (
        <Button onClick={download}>
          <Download /> Download
        </Button>
      )}
      {may('developer') && (
        <Menu
          trigger={
            <IconButton label="More actions">
              <MoreHorizontal />
            </IconButton>
          }
          actions={[
            ...(task.is_final ? [] : [{ label: 'Cancel', icon: <X />, onSelect: () => setOpen('cancel') }]),
            { label: 'Delete', icon: <Trash2 />, isDanger: true, onSelect: () => setOpen('delete') },
          ]}
        />
      )}
      {open === 'code' && (
        <Dialog
          isOpen
          isWide
          onClose={() => setOpen(null)}
          title="The request as code"
          lead={
            task.image && !image
              ? 'This makes the same video again. Replace the image with a URL or the id of an uploaded file.'
              : 'This makes the same video again: all defaults are filled in, including the seed.'
          }
        >
          <CodeTabs request={requestOfTask(task, image?.file.id ?? null)} apiUrl={api_url} />
        </Dialog>
      )}
      {open === 'cancel' && (
        <ConfirmDialog
          title="Cancel this task?"
          action="Cancel the task"
          isDanger
          onConfirm={cancel}
          onClose={() => setOpen(null)}
        >
          The engine stops, and there will be no video. You are not charged for it.
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete this task?"
          action="Delete permanently"
          isDanger
          onConfirm={remove}
          onClose={() => setOpen(null)}
        >
          This deletes its prompt, image and video for everyone, at once and permanently.
          {!task.is_final && ' The task is still active, so it is cancelled first.'} Usage still counts it.
        </ConfirmDialog>
      )}
    </>
  );
}
