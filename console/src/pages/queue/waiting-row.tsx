import type { Task } from '@kinora/sdk';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { memo } from 'react';
import { useProject } from '../../api/project.tsx';
import { IconButton } from '../../design/button.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { classes } from '../../design/classes.ts';
import { formatCount } from '../../design/format.ts';
import { Moment } from '../../design/moment.tsx';
import { aboutTask } from './about-task.ts';
import { ExpectedEnd } from './expected-end.tsx';
import type { RowActions } from './running-card.tsx';

/** The columns of the list, shared by its head: box, place, prompt, what, since, end, cancel. */
export const waitingColumns =
  'grid items-center gap-x-2 lg:gap-x-3 grid-cols-[24px_2.25rem_minmax(0,1fr)_4.75rem_32px] ' +
  'lg:grid-cols-[24px_3.5rem_minmax(0,1fr)_14rem_5rem_6.5rem_32px]';

/** A waiting task in one line: its place in the queue, and when it will probably be done. */
export const WaitingRow = memo(function WaitingRow({
  task,
  isSelected,
  actions,
  height,
}: {
  task: Task;
  isSelected: boolean;
  actions: RowActions | null;
  height: number;
}) {
  const { id: project, mode } = useProject();
  return (
    <div
      className={classes(
        waitingColumns,
        'relative border-b px-2 last:border-b-0 hover:bg-raised',
        isSelected && 'bg-accent-soft hover:bg-accent-soft',
      )}
      style={{ height }}
    >
      <span className="relative z-1">
        {actions && (
          <Checkbox
            label={`Select “${task.prompt}”`}
            isChecked={isSelected}
            onChange={(isChecked) => actions.select(task.id, isChecked)}
          />
        )}
      </span>
      <span className="text-right font-mono text-small text-quiet">
        {task.queue_position === null ? '–' : formatCount(task.queue_position)}
      </span>
      <Link
        to="/p/$project/$mode/tasks/$task"
        params={{ project, mode, task: task.id }}
        data-row={task.id}
        className="min-w-0 truncate after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
      >
        {task.prompt}
      </Link>
      <span className="truncate text-small text-quiet max-lg:hidden">{aboutTask(task)}</span>
      <span className="text-small text-quiet max-lg:hidden">
        <Moment at={task.created_at} />
      </span>
      <span className="text-right text-small">
        <ExpectedEnd task={task} />
      </span>
      <span className="relative z-1">
        {actions && (
          <IconButton label={`Cancel “${task.prompt}”`} title="Cancel" onClick={() => actions.cancel(task)}>
            <X />
          </IconButton>
        )}
      </span>
    </div>
  );
});
