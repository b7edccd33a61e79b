import type { Task } from '@kinora/sdk';
import { classes } from './classes.ts';

/** A task's progress moves smoothly to each reported value, never past it: reported is solid, estimated is striped. */
export function TaskProgress({
  task,
  className,
}: {
  task: Pick<Task, 'progress' | 'progress_source' | 'stage' | 'status'>;
  className?: string;
}) {
  const isEstimate = task.progress_source !== 'engine';
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={task.progress}
      className={classes('h-1.5 overflow-hidden rounded-round bg-raised-more', className)}
    >
      <div
        className={classes(
          'h-full rounded-round transition-transform duration-700 ease-linear',
          isEstimate ? 'striped' : 'bg-accent',
        )}
        // Moved, not resized: many bars move at once in the queue, and this needs no layout.
        style={{ transform: `translateX(${task.progress - 100}%)` }}
      />
    </div>
  );
}

/** Shows how much of a limit is used. It turns red near the limit, unless full use is good use. */
export function Meter({
  label,
  used,
  limit,
  mayBeFull = false,
}: {
  label: string;
  used: number;
  limit: number;
  mayBeFull?: boolean;
}) {
  const share = limit > 0 ? Math.min(1, used / limit) : 0;
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      className="h-1.5 overflow-hidden rounded-round bg-raised-more"
    >
      <div
        className={classes('h-full rounded-round', share >= 0.9 && !mayBeFull ? 'bg-failed' : 'bg-accent')}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
