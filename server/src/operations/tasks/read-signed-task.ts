import type { Database } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';
import { requireReadable } from './read-task.ts';

/**
 * Returns a task for the holder of a signed URL: its owner was checked when the URL was signed. While the project is
 * suspended, its signed URLs open nothing.
 */
export async function readSignedTask({ db }: { db: Pick<Database, 'taskViews'> }, taskId: string) {
  const [view] = uuidFromId('task', taskId) === null ? [] : await db.taskViews.findMany([taskId]);
  if (!view) throw new AppError('task_not_found');
  if (view.isProjectSuspended) throw new AppError('project_suspended');
  requireReadable(view.task);
  return view;
}
