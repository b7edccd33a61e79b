import { Dialog } from '../design/dialog.tsx';

/** Search: pages, tasks by id or prompt, models and actions. */
export function CommandMenu({ onClose }: { onClose: () => void }) {
  return <Dialog isOpen onClose={onClose} title="Search" />;
}
