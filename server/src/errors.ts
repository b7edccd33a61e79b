import { NoPermit } from './domain/fair-semaphore.ts';

/** The public status and text of each error code. */
const table = {
  malformed_request: { status: 400, message: 'The request is not valid HTTP/1.1.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  missing_parameter: { status: 400, message: 'A required parameter is missing.' },
  invalid_parameter: { status: 400, message: 'A parameter has a value that is not allowed.' },
  unknown_parameter: { status: 400, message: 'A parameter is not known.' },
  unsupported_combination: { status: 400, message: 'The model cannot do this combination of parameters.' },
  unknown_model: { status: 400, message: 'There is no such model here.' },
  prompt_too_long: { status: 400, message: 'prompt must be at most 2000 characters.' },
  image_unreachable: {
    status: 400,
    message: 'The image could not be fetched. Check that image_url opens without a login, within 10 seconds.',
  },
  image_forbidden_address: {
    status: 400,
    message:
      'image_url leads to an address that this service does not fetch from. Use a public https URL or a data URI.',
  },
  image_too_large: {
    status: 400,
    message: 'The image is too large: at most 20 MB by URL or upload, 10 MB inline, 40 megapixels.',
  },
  image_unsupported_format: { status: 400, message: 'The image must be a JPEG, PNG or WebP.' },
  image_bad_dimensions: {
    status: 400,
    message: 'Each side of the image must have 300 to 6000 pixels, with a ratio of width to height from 0.4 to 2.5.',
  },
  image_undecodable: { status: 400, message: 'The image could not be decoded. Save it again and retry.' },
  content_policy: { status: 400, message: 'The request breaks the content policy of this installation.' },
  missing_api_key: { status: 401, message: 'No API key was sent. Send it as "Authorization: Bearer <API_KEY>".' },
  invalid_api_key: { status: 401, message: 'The API key is not valid. Check it for typing errors.' },
  expired_api_key: { status: 401, message: 'The API key has expired. Ask the operator for a new one.' },
  revoked_api_key: { status: 401, message: 'The API key was revoked. Use another one.' },
  not_signed_in: { status: 401, message: 'You are not signed in.' },
  sign_in_failed: { status: 401, message: 'The e-mail address or the password is wrong.' },
  sign_in_again: { status: 403, message: 'Sign in again to do this.' },
  sign_in_link_invalid: { status: 403, message: 'The link was used already or has expired. Ask for a new one.' },
  insufficient_role: { status: 403, message: 'Your role does not allow this.' },
  cross_site_request: { status: 403, message: 'Only the pages of the console may send this request.' },
  insufficient_scope: { status: 403, message: 'The API key lacks the scope that this operation needs.' },
  project_suspended: { status: 403, message: 'The project is suspended. Ask the operator of this installation.' },
  signature_invalid: {
    status: 403,
    message: 'The URL is not valid or has expired. Read the task again for a fresh one.',
  },
  task_not_found: { status: 404, message: 'There is no task with this id.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  video_expired: { status: 410, message: 'The files of this task are gone; they are kept for a limited time.' },
  task_deleted: { status: 410, message: 'The task was deleted.' },
  method_not_allowed: { status: 405, message: 'This address does not take this method.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time. Send it again.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  uri_too_long: { status: 414, message: 'The address is too long.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  range_not_satisfiable: { status: 416, message: 'The range asked for lies outside the file.' },
  headers_too_large: { status: 431, message: 'The headers are too large.' },
  task_not_cancellable: { status: 409, message: 'The task has already ended and cannot be cancelled.' },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still being answered. Send the same request again in a second.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: 'The webhook endpoint is disabled. Enable it first.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    message: 'The project has as many webhook endpoints as it may have. Delete one first.',
  },
  too_many_api_keys: {
    status: 409,
    message: 'The project has as many valid API keys as it may have. Revoke one first.',
  },
  too_many_members: {
    status: 409,
    message: 'The project has as many members as it may have. Remove some first.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was used for another request. Use a new key for a new request.',
  },
  rate_limited: { status: 429, message: 'Too many requests. Wait as long as Retry-After says.' },
  too_many_waiting_tasks: {
    status: 429,
    message: 'The limit of waiting tasks for this model is reached. Wait until some have started.',
  },
  storage_limit_reached: {
    status: 429,
    message: 'The project stores as much as it may store. Delete tasks or uploaded files first.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Quote the request id when you report it.',
  },
  no_engine_available: {
    status: 503,
    message: 'The model is not in service right now. Try again later, or name another model.',
  },
  overloaded: { status: 503, message: 'The service cannot take the request right now. Try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof table;

/** One problem of a request; an error lists all of them at once. */
export interface ErrorDetail {
  param: string;
  code: string;
  message: string;
  allowed?: readonly (string | number)[] | undefined;
}

interface AppErrorOptions {
  /** Replaces the table's text. Callers read it: it must not contain a path, an address or the message of a decoder. */
  message?: string | undefined;
  param?: string | undefined;
  details?: readonly ErrorDetail[] | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** An error that callers may see: its text is public, its cause is not. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | null;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? table[code].message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = table[code].status;
    this.param = options.param ?? null;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** Returns the error for a rate limit that is used up. It names both numbers: after a pause, the burst comes first. */
export function rateUsedUp(limit: {
  /** What is counted, such as `creates`. */
  what: string;
  burst: number;
  perMinute: number;
  /** A sentence about what else counts. */
  remark?: string | undefined;
  waitMilliseconds: number;
}): AppError {
  const { what, burst, perMinute, remark, waitMilliseconds } = limit;
  const retryAfterSeconds = Math.min(60, Math.ceil(waitMilliseconds / 1000));
  const sentences = [
    `The limit of ${what} is used up: at most ${burst} at once, refilled at ${perMinute} per minute.`,
    ...(remark === undefined ? [] : [remark]),
    `Try again in ${retryAfterSeconds} s.`,
  ];
  return new AppError('rate_limited', { retryAfterSeconds, message: sentences.join(' ') });
}

/**
 * Returns what to throw if waiting for a permit of a fair semaphore failed: `rate_limited` with this message if the
 * project has used up its own share, and `overloaded` if all projects together have used up the total.
 */
export function refusalOfWait(error: unknown, options: { retryAfterSeconds: number; message: string }): unknown {
  if (!(error instanceof NoPermit)) return error;
  const { retryAfterSeconds } = options;
  return error.isOwnShare
    ? new AppError('rate_limited', { ...options, cause: error })
    : new AppError('overloaded', { retryAfterSeconds, cause: error });
}

/**
 * Thrown only if the engine certainly did not take the job. `busy`: it is healthy, but renders something else.
 * `unreachable`: it takes no jobs at all, because nothing listens there or because it says that it cannot work.
 */
export class SubmitRefused extends Error {
  readonly kind: 'unreachable' | 'busy';

  constructor(kind: 'unreachable' | 'busy', options: { cause?: unknown } = {}) {
    super(`the engine did not take the job: ${kind}`, options);
    this.name = 'SubmitRefused';
    this.kind = kind;
  }
}

/** The engine accepted the request and reported that the input cannot be rendered. */
export class InputRejected extends Error {
  override name = 'InputRejected';
}

/** Thrown if a create that came at the same time has reached the limit on waiting tasks. Its transaction has failed. */
export class WaitingLimitReached extends Error {
  override name = 'WaitingLimitReached';
}

/** The engine delivered a file that is not a usable video for the request. */
export class OutputInvalid extends Error {
  override name = 'OutputInvalid';
}

const refusalSentences = {
  bad_url: 'the URL cannot be parsed',
  scheme: 'the scheme of the URL is not allowed',
  credentials: 'the URL contains a user name or password',
  port: 'the port of the URL is not allowed',
  forbidden_address: 'the host is, or resolves to, an address that is not public',
  unresolvable: 'the host name does not resolve',
  too_many_redirects: 'there were more redirects than allowed',
  bad_redirect: 'a redirect has no usable URL',
  timeout: 'the exchange took longer than allowed',
  too_slow: 'the response arrived more slowly than allowed',
  address_busy: 'too many fetches from the same address were under way',
  too_large: 'the response is larger than allowed',
  headers_too_large: 'the headers of the response are larger than allowed',
  connection_failed: 'the connection failed or broke',
  bad_encoding: 'the content encoding of the response is unknown or broken',
} as const;

export type RefusalReason = keyof typeof refusalSentences;

/** Why an outbound request was refused or interrupted. The text contains no URL and no address; the cause may. */
export class OutboundRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, options: { cause?: unknown } = {}) {
    super(refusalSentences[reason], options);
    this.name = 'OutboundRefused';
    this.reason = reason;
  }
}
