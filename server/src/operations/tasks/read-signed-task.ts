import type { Database } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';
import { requireReadable } from './read-task.ts';

/** Returns a task for the holder of a signed URL: its owner was checked when the URL was signed. */
export async function readSignedTask({ db }: { db: Pick<Database, 'taskViews'> }, taskId: string) {
  const [view] = uuidFromId('task', taskId) === null ? [] : await db.taskViews.findMany([taskId]);
  if (!view) throw new AppError('task_not_found');
  requireReadable(view.task);
  return view;
}
