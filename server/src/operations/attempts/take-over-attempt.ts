import type { Attempt } from '../../db/attempts/attempt-table.ts';
import type { Database } from '../../db/database.ts';
import { isFinal, type Task } from '../../domain/task.ts';

export type TakenOver = { kind: 'taken'; task: Task; attempt: Attempt } | { kind: 'final' } | { kind: 'not-begun' };

/** Makes the caller the holder of a task's current attempt and of its lease, with the next fencing number. */
export async function takeOverAttempt(
  { db, processId }: { db: Database; processId: string },
  taskId: string,
): Promise<TakenOver> {
  return db.transaction(async (tables): Promise<TakenOver> => {
    const task = await tables.tasks.lock(taskId);
    if (!task || isFinal(task.status)) return { kind: 'final' };
    if (task.status === 'queued') return { kind: 'not-begun' };
    const attempt = await tables.attempts.takeOver(taskId, task.attempt, processId);
    if (!attempt) throw new Error('a task in progress has no attempt row');
    await tables.leases.takeOver(taskId, task.attempt, attempt.fencing);
    return { kind: 'taken', task, attempt };
  });
}
