import type { Database } from '../../db/database.ts';
import type { CountedTask } from '../../db/task-row.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';

/** A task of the caller's project and mode with what is known of it now; throws what findOwnTask throws. */
export async function readTask({ db }: { db: Pick<Database, 'taskViews'> }, owner: ProjectMode, taskId: string) {
  const view = uuidFromId('task', taskId) === null ? null : await db.taskViews.find(taskId, owner);
  if (!view) throw new AppError('task_not_found');
  readable(view.task);
  return view;
}

/** A task of the caller's: a foreign, malformed or unknown id is the same "not found", and a deleted task is gone. */
export async function findOwnTask(
  { db }: { db: Pick<Database, 'tasks'> },
  owner: ProjectMode,
  taskId: string,
): Promise<CountedTask> {
  return readable(uuidFromId('task', taskId) === null ? null : await db.tasks.findOf(owner, taskId));
}

/** The one place that decides what may be told of a task: nothing of one that is not there, and nothing of a deleted one. */
export function readable<T extends Pick<Task, 'deletedAt'>>(task: T | null): T {
  if (!task) throw new AppError('task_not_found');
  if (task.deletedAt !== null) throw new AppError('task_deleted');
  return task;
}
