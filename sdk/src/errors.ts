import type { Error as ErrorBody, Task } from './generated/types.ts';

/** One problem of a request: which parameter, what is wrong, what would be allowed. */
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

/** Everything that this library throws is one of these. */
export class KinoraError extends Error {
  // Written out in every class: whoever minifies changes the names of classes, not these.
  override readonly name: string = 'KinoraError';
  /** The HTTP status, where the service answered. */
  readonly status: number | undefined;
  /** The service's own name of the problem, such as `invalid_parameter`. */
  readonly code: string | undefined;
  /** The field of the request that it is about. */
  readonly param: string | null;
  /** Every problem of the request, where there are several. */
  readonly details: readonly ErrorDetail[];
  /** Tell the operator this id: it finds the request in the service's logs. */
  readonly requestId: string | null;
  /** Whether the same request may succeed later. What could be retried has been retried already. */
  readonly isRetryable: boolean;
  /** The task that `run` had created before this came in its way, as last seen. Unless it is final, it goes on. */
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

/** The request is wrong; `details` says where. Sending it again changes nothing. */
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
/** There is no such thing, or it belongs to another project or mode. */
export class NotFoundError extends KinoraError {
  override readonly name: string = 'NotFoundError';
}
/** It existed, and its files or itself were deleted. */
export class GoneError extends KinoraError {
  override readonly name: string = 'GoneError';
}
/** The task has already ended otherwise, or a request with the same idempotency key is still under way. */
export class ConflictError extends KinoraError {
  override readonly name: string = 'ConflictError';
}
/** The idempotency key was used before, with another request. */
export class IdempotencyError extends KinoraError {
  override readonly name: string = 'IdempotencyError';
}
/** The service is broken or overloaded. */
export class ServerError extends KinoraError {
  override readonly name: string = 'ServerError';
}
/** The service could not be reached, or the connection broke, more often than the retries allow. */
export class ConnectionError extends KinoraError {
  override readonly name: string = 'ConnectionError';
}

/** Too many requests or too many waiting tasks. */
export class RateLimitError extends KinoraError {
  override readonly name: string = 'RateLimitError';
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, options: ErrorOptions & { retryAfterSeconds: number | null }) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The task ended as failed; `task.error` says why. */
export class TaskFailedError extends KinoraError {
  override readonly name: string = 'TaskFailedError';
  /** As it ended. */
  override readonly task: Task;

  constructor(task: Task) {
    const { error } = task;
    super(error?.message ?? 'The task failed.', { code: error?.code, isRetryable: error?.retryable });
    this.task = task;
  }
}

/** The task was cancelled: by an abort of ours (then `cause` is its reason), or by somebody else. */
export class TaskCancelledError extends KinoraError {
  override readonly name: string = 'TaskCancelledError';
  /** As it was last seen; null where the abort came before the task was created. */
  override readonly task: Task | null;

  constructor(task: Task | null, cause?: unknown) {
    super('The task was cancelled.', { code: 'cancelled', cause });
    this.task = task;
  }
}

/** A webhook whose signature does not verify: do not act on it. */
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

/** The error of an answer that is none of 2xx. */
export async function errorOfResponse(response: Response): Promise<KinoraError> {
  const body = await readErrorBody(response);
  const { status, headers } = response;
  const options = {
    status,
    code: body?.error.code,
    param: body?.error.param ?? null,
    details: body?.error.details ?? [],
    requestId: body?.request_id ?? headers.get('x-request-id'),
    isRetryable: body?.error.retryable ?? (status >= 500 || status === 429 || status === 408),
  };
  const message = body?.error.message ?? `The service answered with status ${status}.`;
  if (status === 429) return new RateLimitError(message, { ...options, retryAfterSeconds: retryAfterSeconds(headers) });
  const Class = classes[status] ?? (status >= 500 ? ServerError : InvalidRequestError);
  return new Class(message, options);
}

/** Whether the service itself has answered, and the same request would be answered so again. A proxy's page has no code. */
export function isRefusal(error: unknown): error is KinoraError {
  return error instanceof KinoraError && error.code !== undefined && !error.isRetryable;
}

/** What `Retry-After` says, in seconds; null where it says nothing. */
export function retryAfterSeconds(headers: Headers): number | null {
  const said = headers.get('retry-after');
  if (!said) return null;
  // A proxy may name a moment; by its own clock, which need not be ours.
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const seconds = /^[\d.]+$/.test(said) ? Number(said) : (Date.parse(said) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Null where it is not ours: a proxy's page, say. */
async function readErrorBody(response: Response): Promise<ErrorBody | null> {
  try {
    const body = (await response.json()) as ErrorBody; // checked below as far as it is used
    return typeof body?.error?.message === 'string' ? body : null;
  } catch {
    return null;
  }
}
