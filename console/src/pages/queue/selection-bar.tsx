import type { Task } from '@kinora/sdk';
import { Button } from '../../design/button.tsx';
import { formatCount } from '../../design/format.ts';
import { tasksInWords } from './cancel-words.ts';

/** Offers actions on the selected tasks. It stays in sight while the page is scrolled. */
export function SelectionBar({
  chosen,
  onClear,
  onCancel,
}: {
  chosen: readonly Task[];
  onClear: () => void;
  onCancel: () => void;
}) {
  return (
    <div
      role="toolbar"
      aria-label="Selected tasks"
      className="sticky bottom-20 z-10 flex flex-wrap items-center gap-2 rounded-box border border-accent bg-raised px-3 py-2 md:bottom-4"
    >
      <span className="grow">{formatCount(chosen.length)} selected</span>
      <Button look="quiet" onClick={onClear}>
        Clear
      </Button>
      <Button look="danger" onClick={onCancel}>
        Cancel {tasksInWords(chosen.length)}
      </Button>
    </div>
  );
}
