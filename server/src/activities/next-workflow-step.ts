import type { Database } from '../db/database.ts';
import type { Step } from '../domain/step.ts';
import { isFinal } from '../domain/task.ts';

/**
 * Returns the workflow's next step if this activity no longer holds the attempt. Only the row can tell: an `ended`
 * while the task is not final would end the workflow of a task that still needs it.
 */
export async function nextWorkflowStep({ db }: { db: Pick<Database, 'tasks'> }, taskId: string): Promise<Step> {
  const task = await db.tasks.find(taskId);
  if (!task || isFinal(task.status)) return 'ended';
  return task.status === 'queued' ? 'generate' : 'follow';
}
