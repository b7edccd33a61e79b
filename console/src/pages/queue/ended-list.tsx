import type { Task } from '@kinora/sdk';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useProject } from '../../api/project.tsx';
import { Moment } from '../../design/moment.tsx';
import { RatioBox } from '../../design/ratio-box.tsx';
import { TaskStatus } from '../../design/status.tsx';

/** The tasks that ended last. */
export function EndedList({ ended }: { ended: readonly Task[] }) {
  if (ended.length === 0) return <p className="text-quiet">No tasks have ended yet.</p>;
  return (
    <ul>
      {ended.map((task) => (
        <EndedRow key={task.id} task={task} />
      ))}
    </ul>
  );
}

const EndedRow = memo(function EndedRow({ task }: { task: Task }) {
  const { id: project, mode } = useProject();
  return (
    <li>
      <Link
        to="/p/$project/$mode/tasks/$task"
        params={{ project, mode, task: task.id }}
        data-row={task.id}
        className="flex items-center gap-3 border-b py-2 hover:bg-raised"
      >
        <RatioBox task={task} side={48} />
        <span className="min-w-0 grow">
          <span className="block truncate">{task.prompt}</span>
          <span className="flex items-center gap-2 text-small text-quiet">
            <TaskStatus status={task.status} />
            {task.error && <span className="min-w-0 truncate">{task.error.message}</span>}
            <span className="ml-auto pl-1">{task.completed_at !== null && <Moment at={task.completed_at} />}</span>
          </span>
        </span>
      </Link>
    </li>
  );
});
