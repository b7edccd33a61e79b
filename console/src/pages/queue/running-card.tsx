import type { Task } from '@kinora/sdk';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { memo } from 'react';
import { useProject } from '../../api/project.tsx';
import { IconButton } from '../../design/button.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { Moment } from '../../design/moment.tsx';
import { RatioBox } from '../../design/ratio-box.tsx';
import { StageBar } from '../../design/stage-bar.tsx';
import { Label } from '../../design/status.tsx';
import { aboutTask } from './about-task.ts';
import { ExpectedEnd } from './expected-end.tsx';

/** The actions that rows of the queue offer for their task. The functions never change, so that only changed rows render. */
export interface RowActions {
  select: (id: string, isSelected: boolean) => void;
  cancel: (task: Task) => void;
}

/** A running task: its stages, how far it is, and when it will probably be done. */
export const RunningCard = memo(function RunningCard({
  task,
  isSelected,
  actions,
}: {
  task: Task;
  isSelected: boolean;
  actions: RowActions | null;
}) {
  const { id: project, mode } = useProject();
  return (
    <li className="relative flex gap-4 rounded-box border bg-raised p-3 focus-within:border-line-strong hover:border-line-strong max-sm:gap-3">
      <RatioBox task={task} side={80}>
        <span className="text-small text-quiet">{task.aspect_ratio}</span>
      </RatioBox>
      <div className="flex min-w-0 grow flex-col gap-1">
        <div className="flex items-start gap-2">
          <Link
            to="/p/$project/$mode/tasks/$task"
            params={{ project, mode, task: task.id }}
            data-row={task.id}
            className="line-clamp-2 min-w-0 grow font-medium after:absolute after:inset-0 after:rounded-box focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {task.prompt}
          </Link>
          {task.attempt > 1 && <Label>{`attempt ${task.attempt}`}</Label>}
        </div>
        <p className="truncate text-small text-quiet">
          {aboutTask(task)}
          {task.started_at !== null && (
            <>
              {' · started '}
              <Moment at={task.started_at} />
            </>
          )}
        </p>
        <div className="mt-auto pt-1">
          <StageBar task={task} />
        </div>
        <p className="text-small">
          <span className="text-quiet">Expected end </span>
          <ExpectedEnd task={task} />
        </p>
      </div>
      {actions && (
        <div className="relative z-1 -mt-1 -mr-1 flex flex-col items-center gap-1">
          <Checkbox
            label={`Select “${task.prompt}”`}
            isChecked={isSelected}
            onChange={(isChecked) => actions.select(task.id, isChecked)}
          />
          <IconButton label={`Cancel “${task.prompt}”`} title="Cancel" onClick={() => actions.cancel(task)}>
            <X />
          </IconButton>
        </div>
      )}
    </li>
  );
});
