import { AISDKError, APICallError } from '@ai-sdk/provider';
import { type KinoraError, type Task, TaskCancelledError, TaskFailedError } from '@kinora/sdk';

/** The task ended without a video: it failed, or somebody cancelled it. */
export class KinoraTaskError extends AISDKError {
  readonly taskId: string;
  /** Why, such as `engine_rejected_input`; `cancelled` where somebody cancelled it. */
  readonly code: string;
  /**
   * Whether a new call may succeed. The service has tried again by itself as often as is sensible, so the AI SDK does not repeat
   * the call: that would be another task.
   */
  readonly isRetryable: boolean;
  /** The task as it ended. */
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

/** How a task ended that has no video, for people. */
export function endOf({ id, error }: Task): string {
  return error ? `The task ${id} failed (${error.code}): ${error.message}` : `The task ${id} was cancelled.`;
}

/** What the AI SDK knows how to repeat and to show, made of what the client threw. */
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
