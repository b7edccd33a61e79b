import type { Database } from '../db/database.ts';
import type { Step } from '../domain/step.ts';
import { isFinal } from '../domain/task.ts';

/** The next step if this activity lost its attempt. Only the row can tell: a wrong `ended` would abandon the task. */
export async function nextWorkflowStep({ db }: { db: Pick<Database, 'tasks'> }, taskId: string): Promise<Step> {
  const task = await db.tasks.find(taskId);
  if (!task || isFinal(task.status)) return 'ended';
  return task.status === 'queued' ? 'generate' : 'follow';
}
