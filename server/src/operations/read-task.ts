import type { Database } from '../db/database.ts';
import type { Caller } from '../domain/caller.ts';
import { uuidFromId } from '../domain/id.ts';
import { AppError } from '../errors.ts';

/** A task of the caller's project and mode; a foreign, malformed or unknown id is the same "not found". */
export async function readTask({ db }: { db: Database }, caller: Caller, taskId: string) {
  const view = uuidFromId('task', taskId) === null ? null : await db.tasks.findForReader(taskId, caller);
  if (!view) throw new AppError('task_not_found');
  return view;
}
