import type { Database } from '../../db/database.ts';
import type { CountedTask } from '../../db/tasks/task-row.ts';
import type { StoredView } from '../../db/tasks/task-view-table.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';

/** The caller's task with its progress; throws as findOwnTask does. `found` is what a statement has found, or null. */
export async function readTask(
  { db }: { db: Pick<Database, 'taskViews'> },
  owner: ProjectMode,
  taskId: string,
  found?: StoredView | null,
) {
  const find = async () => (uuidFromId('task', taskId) === null ? null : await db.taskViews.find(taskId, owner));
  const view = found === undefined ? await find() : found;
  if (!view) throw new AppError('task_not_found');
  requireReadable(view.task);
  return view;
}

/** Returns a task of the caller. A foreign, malformed or unknown id is "not found", a deleted task `task_deleted`. */
export async function findOwnTask(
  { db }: { db: Pick<Database, 'tasks'> },
  owner: ProjectMode,
  taskId: string,
): Promise<CountedTask> {
  return requireReadable(uuidFromId('task', taskId) === null ? null : await db.tasks.findOf(owner, taskId));
}

/** Throws for a task that does not exist or was deleted. Every lookup of one task for a caller goes through here. */
export function requireReadable<T extends Pick<Task, 'deletedAt'>>(task: T | null): T {
  if (!task) throw new AppError('task_not_found');
  if (task.deletedAt !== null) throw new AppError('task_deleted');
  return task;
}
