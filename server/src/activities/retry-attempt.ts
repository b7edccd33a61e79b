import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Step } from '../domain/step.ts';
import { retryTask } from '../operations/attempts/retry-task.ts';
import type { Log } from '../telemetry/log.ts';
import { logTaskFailed } from './fail-and-log.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';

/** Records that an attempt failed, and returns the workflow's next step. */
export async function retryAttempt(
  dependencies: Parameters<typeof retryTask>[0] & { log: Log },
  attempt: Attempt,
  end: Parameters<typeof retryTask>[2],
): Promise<Step> {
  const next = await retryTask(dependencies, attempt, end);
  switch (next) {
    case 'retry':
      return 'generate';
    case 'ended': {
      const code = end.outcome === 'refused' ? 'engine_unavailable' : end.outcome;
      logTaskFailed(dependencies.log, attempt.taskId, { code, stage: end.stage, attempt: attempt.attempt });
      return 'ended';
    }
    case 'not-ours':
      return nextWorkflowStep(dependencies, attempt.taskId);
  }
}
