import type { TaskFailureCode } from '../domain/failure.ts';
import type { TaskStage } from '../domain/task.ts';
import { failTask } from '../operations/tasks/end-task.ts';
import type { Log } from '../telemetry/log.ts';

interface Failure {
  code: TaskFailureCode;
  stage: TaskStage;
  attempt?: number;
}

/** Ends a task as failed and says so in the worker's log. False if the task had ended already. */
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
