import { failTask } from '../operations/tasks/end-task.ts';
import type { Log } from '../telemetry/log.ts';

type Failure = Parameters<typeof failTask>[2];

/** Fails a task and logs it. Returns false if the task had already ended. */
export async function failAndLog(
  dependencies: Parameters<typeof failTask>[0] & { log: Log },
  taskId: string,
  failure: Failure,
): Promise<boolean> {
  const isFailed = await failTask(dependencies, taskId, failure);
  if (isFailed) logTaskFailed(dependencies.log, taskId, failure);
  return isFailed;
}

export function logTaskFailed(log: Log, taskId: string, failure: Failure): void {
  log.warn({ event: 'task.failed', taskId, ...failure }, 'task failed');
}
