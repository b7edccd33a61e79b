import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { uuidFromId } from '../domain/id.ts';
import type { Task } from '../domain/task.ts';
import { AppError } from '../errors.ts';
import { endTask } from './end-task.ts';
import type { WorkflowClient } from './workflow-client.ts';

interface Dependencies {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
}

/** Ends an active task. Cancelling twice is not an error; cancelling what has ended otherwise is. */
export async function cancelTask({ db, workflows, clock }: Dependencies, taskId: string): Promise<Task> {
  if (uuidFromId('task', taskId) === null) throw new AppError('task_not_found');
  const now = clock.now();
  const cancelled = await db.transaction(async (tables) => {
    const ended = await endTask(tables, taskId, { kind: 'cancel' }, {}, now);
    // A task that was never admitted has no workflow. For the others the outbox row repeats the cancel until it lands.
    if (ended?.wasAdmitted) {
      const { projectId, pool } = ended.task;
      await tables.outbox.add([{ kind: 'cancel', taskId, projectId, pool, weight: 1, enter: 'generate' }], now, now);
    }
    return ended;
  });
  if (cancelled) {
    workflows.startSoon(cancelled.starts);
    return cancelled.task;
  }
  const task = await db.tasks.find(taskId);
  if (!task) throw new AppError('task_not_found');
  if (task.status !== 'cancelled') {
    throw new AppError('task_not_cancellable', { message: `The task has already ended: it is ${task.status}.` });
  }
  return task;
}
