import type { Error as ErrorBody } from './generated/types.ts';
import type { FailedTask, Task } from './task.ts';

/** One problem in a request: the parameter, what is wrong with it, and which values are allowed. */
export type ErrorDetail = NonNullable<ErrorBody['error']['details']>[number];

interface ErrorOptions {
  status?: number | undefined;
  code?: string | undefined;
  param?: string | null | undefined;
  details?: readonly ErrorDetail[] | undefined;
  requestId?: string | null | undefined;
  isRetryable?: boolean | undefined;
  cause?: unknown;
}

/** Base class of every error that this library throws. The one exception: an abort throws the signal's reason. */
export class KinoraError extends Error {
  // Every class spells its name out, because minifiers rename classes but leave strings alone.
  override readonly name: string = 'KinoraError';
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined;
  /** The service's code for the problem, such as `invalid_parameter`; undefined if the service did not send one. */
  readonly code: string | undefined;
  /** The first request field with a problem; null if the error is not about a field. */
  readonly param: string | null;
  /** Every problem that the service found in the request. */
  readonly details: readonly ErrorDetail[];
  /** The id of the request in the service's logs. Quote it when you ask the operator for help. */
  readonly requestId: string | null;
  /** Whether the same request may succeed later. The client has already used up its own retries. */
  readonly isRetryable: boolean;
  /**
   * The task that `run` had created before the error, in its last known state. Unless it is final, it is still running.
   */
  task: Task | null = null;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.param = options.param ?? null;
    this.details = options.details ?? [];
    this.requestId = options.requestId ?? null;
    this.isRetryable = options.isRetryable ?? false;
  }
}

/** The request is invalid; `details` lists the problems. A retry would fail the same way. */
export class InvalidRequestError extends KinoraError {
  override readonly name: string = 'InvalidRequestError';
}
/** The key is missing, mistyped, expired or revoked. */
export class AuthenticationError extends KinoraError {
  override readonly name: string = 'AuthenticationError';
}
/** The key lacks the scope, or the project is suspended. */
export class PermissionError extends KinoraError {
  override readonly name: string = 'PermissionError';
}
/** The resource does not exist, or it belongs to another project or mode. */
export class NotFoundError extends KinoraError {
  override readonly name: string = 'NotFoundError';
}
/** The resource existed, but it or its files were deleted. */
export class GoneError extends KinoraError {
  override readonly name: string = 'GoneError';
}
/** The task has already ended in another way, or a request with the same idempotency key is still running. */
export class ConflictError extends KinoraError {
  override readonly name: string = 'ConflictError';
}
/** The idempotency key was already used for a different request. */
export class IdempotencyError extends KinoraError {
  override readonly name: string = 'IdempotencyError';
}
/** The service is broken or overloaded. */
export class ServerError extends KinoraError {
  override readonly name: string = 'ServerError';
}
/** The service could not be reached or the connection broke, and every allowed retry failed too. */
export class ConnectionError extends KinoraError {
  override readonly name: string = 'ConnectionError';
}

/** The project sent too many requests or has too many waiting tasks. */
export class RateLimitError extends KinoraError {
  override readonly name: string = 'RateLimitError';
  /** Seconds to wait before the next try, from `Retry-After`; null if the response did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, options: ErrorOptions & { retryAfterSeconds: number | null }) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The task failed; `task.error` says why. */
export class TaskFailedError extends KinoraError {
  override readonly name: string = 'TaskFailedError';
  /** The failed task. */
  override readonly task: FailedTask;

  constructor(task: FailedTask) {
    const { error } = task;
    super(error.message, { code: error.code, isRetryable: error.retryable });
    this.task = task;
  }
}

/** The task was cancelled, either by the caller's abort (`cause` is then the signal's reason) or by another client. */
export class TaskCancelledError extends KinoraError {
  override readonly name: string = 'TaskCancelledError';
  /** The task in its last known state; null if the abort came before it was created. */
  override readonly task: Task | null;

  constructor(task: Task | null, cause?: unknown) {
    super('The task was cancelled.', { code: 'cancelled', cause });
    this.task = task;
  }
}

/** The webhook's signature is missing, invalid or too old. Do not act on the webhook. */
export class WebhookVerificationError extends KinoraError {
  override readonly name: string = 'WebhookVerificationError';
}

const classes: Record<number, typeof KinoraError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: IdempotencyError,
};

/**
 * Returns the error for a response whose status is not 2xx. The first of the `renamedFields` is replaced by the second
 * everywhere, so that the error speaks of the field that the caller wrote.
 */
export async function errorOfResponse(
  response: Response,
  renamedFields?: readonly [sent: string, given: string],
): Promise<KinoraError> {
  const body = await readErrorBody(response, renamedFields);
  const { status, headers } = response;
  const options = {
    status,
    code: body?.error.code,
    param: body?.error.param ?? null,
    details: body?.error.details ?? [],
    requestId: body?.request_id ?? headers.get('x-request-id'),
    isRetryable: body?.error.retryable ?? (status >= 500 || status === 429 || status === 408),
  };
  const message = body?.error.message ?? `The service responded with status ${status}.`;
  if (status === 429) return new RateLimitError(message, { ...options, retryAfterSeconds: retryAfterSeconds(headers) });
  const Class = classes[status] ?? (status >= 500 ? ServerError : InvalidRequestError);
  return new Class(message, options);
}

/**
 * Whether the service itself rejected the request for good, or the client before it was sent. A proxy's error page does
 * not count: it has a status, but no code.
 */
export function isRefusal(error: unknown): error is KinoraError {
  if (!(error instanceof KinoraError) || error.isRetryable) return false;
  return error.code !== undefined || (error.status === undefined && !(error instanceof ConnectionError));
}

/** Returns `Retry-After` in seconds; null if the header is missing or unreadable. */
export function retryAfterSeconds(headers: Headers): number | null {
  const value = headers.get('retry-after');
  if (!value) return null;
  // A proxy may send a date instead. It is measured by the proxy's clock, which may differ from ours.
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const seconds = /^[\d.]+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Returns null if the body is not the service's error format, such as a proxy's HTML page. */
async function readErrorBody(
  response: Response,
  [sent, given]: readonly [string, string] = ['', ''],
): Promise<ErrorBody | null> {
  try {
    const text = await response.text();
    const body = JSON.parse(sent ? text.replaceAll(sent, given) : text) as ErrorBody; // checked below as far as it is used
    return typeof body?.error?.message === 'string' ? body : null;
  } catch {
    return null;
  }
}
