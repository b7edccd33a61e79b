import type { Database } from '../db/database.ts';
import type { Step } from '../domain/step.ts';
import { isFinal } from '../domain/task.ts';

/**
 * How to go on where this activity no longer speaks for the attempt. Only the row knows: an `ended` while the row is open would
 * end the workflow under a task that still waits for it.
 */
export async function stepOfRow({ db }: { db: Pick<Database, 'tasks'> }, taskId: string): Promise<Step> {
  const task = await db.tasks.find(taskId);
  if (!task || isFinal(task.status)) return 'ended';
  return task.status === 'queued' ? 'generate' : 'follow';
}
