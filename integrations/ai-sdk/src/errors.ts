import { AISDKError, APICallError } from '@ai-sdk/provider';
import { type KinoraError, type Task, TaskCancelledError, TaskFailedError } from '@kinora/sdk';

/** The task ended without a video because it failed or was cancelled. */
export class KinoraTaskError extends AISDKError {
  readonly taskId: string;
  /** The task's error code, such as `engine_rejected_input`, or `cancelled`. */
  readonly code: string;
  /**
   * Whether a new call may succeed. The service has already retried the task, so the AI SDK does not retry the call:
   * that would create another task.
   */
  readonly isRetryable: boolean;
  /** The task in its final state. */
  readonly task: Task;

  constructor(task: Task) {
    const cause = task.status === 'failed' ? new TaskFailedError(task) : new TaskCancelledError(task);
    super({ name: 'KinoraTaskError', message: endOf(task), cause });
    this.taskId = task.id;
    this.code = task.error?.code ?? 'cancelled';
    this.isRetryable = task.error?.retryable ?? false;
    this.task = task;
  }
}

/** Returns a sentence that says how a task without a video ended. */
export function endOf({ id, error }: Task): string {
  return error ? `The task ${id} failed (${error.code}): ${error.message}` : `The task ${id} was cancelled.`;
}

/** Converts an error of the Kinora client into the error type that the AI SDK can retry and display. */
export function callErrorOf(
  error: KinoraError,
  { url, responseHeaders }: { url: string; responseHeaders: Record<string, string> | undefined },
  request: unknown,
): APICallError {
  const { message, status, isRetryable, code, param, details, requestId } = error;
  return new APICallError({
    message,
    url,
    requestBodyValues: request,
    isRetryable,
    data: { code, param, details, requestId },
    cause: error,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(responseHeaders === undefined ? {} : { responseHeaders }),
  });
}
