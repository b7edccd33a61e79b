import type { Database } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';
import { requireReadable } from './read-task.ts';

/** The task of a signed URL, whose owner was checked at signing. A suspended project's URLs open nothing. */
export async function readSignedTask({ db }: { db: Pick<Database, 'taskViews'> }, taskId: string) {
  const [view] = uuidFromId('task', taskId) === null ? [] : await db.taskViews.findMany([taskId]);
  if (!view) throw new AppError('task_not_found');
  if (view.isProjectSuspended) throw new AppError('project_suspended');
  requireReadable(view.task);
  return view;
}
