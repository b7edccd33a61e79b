import type { Attempt } from '../../db/attempts/attempt-table.ts';
import type { Tables } from '../../db/database.ts';
import { type AttemptFailureCode, maximumAttempts, maximumRefusalsInARow } from '../../domain/failure.ts';
import type { TaskStage } from '../../domain/task.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { endTask } from '../tasks/end-task.ts';

interface AttemptEnd {
  /** `refused`: the engine certainly never accepted the job, so this does not count towards the three attempts. */
  outcome: 'refused' | AttemptFailureCode;
  stage: TaskStage;
  /** Whether the engine's job is known to be over, so that its slot is free; otherwise the slot drains. */
  isJobOver: boolean;
}

/**
 * Queues a task for another attempt, with its project slot, or fails it if its attempts are used up. `not-ours` changes
 * nothing: the task was cancelled first, or another process has taken the attempt over.
 */
export async function retryTask(
  { db, workflows, clock }: WorkflowParts,
  attempt: Attempt,
  end: AttemptEnd,
): Promise<'retry' | 'ended' | 'not-ours'> {
  const now = clock.now();
  const isRefused = end.outcome === 'refused';
  const engineSeconds =
    isRefused || attempt.slotFreedAt ? 0 : Math.max(0, now.getTime() - attempt.beganAt.getTime()) / 1000;
  const counts = {
    countsAsFailedAttempt: !isRefused,
    countsAsRefusal: isRefused,
    engineSeconds,
  };
  const expected = { attempt: attempt.attempt };
  const judge = async (tables: Tables) => {
    // The lock comes before the fencing number is read, so that no takeover can come between the read and the change.
    const task = await tables.tasks.lock(attempt.taskId);
    const current = await tables.attempts.find(attempt.taskId, attempt.attempt);
    if (!task || current?.fencing !== attempt.fencing) return null;
    const isUsedUp = isRefused
      ? task.counters.refusalsInARow + 1 >= maximumRefusalsInARow
      : task.counters.failedAttempts + 1 >= maximumAttempts;
    if (isUsedUp) {
      const code = end.outcome === 'refused' ? 'engine_unavailable' : end.outcome;
      const ended = await endTask(tables, task.id, { kind: 'fail', code, stage: end.stage, ...counts }, expected, now);
      return ended && { next: 'ended' as const, starts: ended.starts };
    }
    const queued = await tables.tasks.change(task.id, 'retry', expected, counts);
    if (!queued) return null;
    await tables.attempts.markEnded(task.id, attempt.attempt, end.outcome, now);
    return { next: 'retry' as const, starts: [] };
  };
  const result = await db.transaction(async (tables) => {
    const judged = await judge(tables);
    if (judged && end.isJobOver) await tables.leases.free(attempt.endpointId, attempt.slot, attempt.fencing);
    return judged;
  });
  workflows.startSoon(result?.starts ?? []);
  return result?.next ?? 'not-ours';
}
