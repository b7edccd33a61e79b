import type { Attempt } from '../db/attempts.ts';
import type { Step } from '../domain/step.ts';
import { retryTask } from '../operations/attempts/retry-task.ts';
import { stepOfRow } from './step-of-row.ts';

/** Notes that an attempt came to nothing, and answers how the workflow goes on. */
export async function retryAttempt(
  dependencies: Parameters<typeof retryTask>[0],
  attempt: Attempt,
  end: Parameters<typeof retryTask>[2],
): Promise<Step> {
  const next = await retryTask(dependencies, attempt, end);
  switch (next) {
    case 'retry':
      return 'generate';
    case 'ended':
      return 'ended';
    case 'not-ours':
      return stepOfRow(dependencies, attempt.taskId);
  }
}
