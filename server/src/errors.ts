import { NoPermit } from './domain/concurrency-limit.ts';

/** The public status and text of each error code. */
const table = {
  malformed_request: { status: 400, message: 'The request is not valid HTTP/1.1.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  missing_parameter: { status: 400, message: 'A required parameter is missing.' },
  invalid_parameter: { status: 400, message: 'A parameter has an invalid value.' },
  unknown_parameter: { status: 400, message: 'The request has an unknown parameter.' },
  unsupported_combination: { status: 400, message: 'The model does not support this combination of parameters.' },
  unknown_model: { status: 400, message: 'Model not found. GET /v1/models lists the models.' },
  prompt_too_long: { status: 400, message: 'The prompt is too long. Shorten it.' },
  image_unreachable: {
    status: 400,
    message: 'The image could not be fetched. Check that image_url opens without a login.',
  },
  image_forbidden_address: {
    status: 400,
    message:
      'image_url leads to an address that this service does not fetch from. Use a public https URL or a data URI.',
  },
  image_too_large: {
    status: 400,
    message: 'The image is too large. Send a smaller one.',
  },
  image_unsupported_format: { status: 400, message: 'The image must be a JPEG, PNG or WebP.' },
  image_bad_dimensions: {
    status: 400,
    message: 'The size or the aspect ratio of the image is out of range. Resize or crop the image.',
  },
  image_undecodable: { status: 400, message: 'The image could not be decoded. Save it again with another program.' },
  content_policy: { status: 400, message: 'The request violates the content policy of this installation.' },
  missing_api_key: { status: 401, message: 'No API key was sent. Send it as "Authorization: Bearer <API_KEY>".' },
  invalid_api_key: { status: 401, message: 'The API key is not valid. Check it for typing errors.' },
  expired_api_key: { status: 401, message: 'The API key has expired. Ask the operator for a new one.' },
  revoked_api_key: { status: 401, message: 'The API key was revoked. Use another one.' },
  not_signed_in: { status: 401, message: 'You are not signed in. Sign in first.' },
  sign_in_failed: { status: 401, message: 'The e-mail address or the password is wrong.' },
  sign_in_again: { status: 403, message: 'Sign in again to do this.' },
  sign_in_link_invalid: { status: 403, message: 'The link was already used or has expired. Ask for a new one.' },
  insufficient_role: { status: 403, message: 'Your role does not allow this. Ask a project admin or an operator.' },
  cross_site_request: { status: 403, message: 'Only pages of the console can send this request.' },
  insufficient_scope: {
    status: 403,
    message: 'The API key lacks the scope that this operation needs. Use a key that has it.',
  },
  project_suspended: { status: 403, message: 'The project is suspended. Ask the operator of this installation.' },
  signature_invalid: {
    status: 403,
    message: 'The URL is not valid or has expired. Read the task again to get a new one.',
  },
  task_not_found: { status: 404, message: 'There is no task with this id. Check the id, the project and the mode.' },
  not_found: { status: 404, message: 'Not found. Check the address and the ids in it.' },
  video_expired: {
    status: 410,
    message: 'The files of this task have expired. To get the video again, create a new task.',
  },
  task_deleted: { status: 410, message: 'The task was deleted.' },
  method_not_allowed: { status: 405, message: 'Method not allowed. The Allow header lists the methods.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time. Send it again.' },
  payload_too_large: { status: 413, message: 'The body is too large. Send a smaller one.' },
  uri_too_long: { status: 414, message: 'The URL is too long. Shorten it.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  range_not_satisfiable: { status: 416, message: 'The requested range is outside the file. Request one within it.' },
  headers_too_large: { status: 431, message: 'The headers are too large. Send fewer or shorter ones.' },
  task_not_cancellable: { status: 409, message: 'The task has already ended, so it cannot be cancelled.' },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress. Send the same request again shortly.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: 'The webhook endpoint is disabled. Enable it first.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    message: 'Webhook endpoint limit reached. Delete one first.',
  },
  too_many_api_keys: {
    status: 409,
    message: 'API key limit reached. Revoke one first.',
  },
  too_many_members: {
    status: 409,
    message: 'Member limit reached. Remove some first.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was used for a different request. Use a new key for each new request.',
  },
  rate_limited: { status: 429, message: 'Too many requests. Wait for the time in Retry-After, then try again.' },
  too_many_waiting_tasks: {
    status: 429,
    message: 'Waiting task limit reached for this model. Wait until some have started.',
  },
  storage_limit_reached: {
    status: 429,
    message: 'Storage limit reached. Delete tasks or uploaded files first.',
  },
  internal_error: {
    status: 500,
    message: 'Internal error. If it happens again, report it with the request id.',
  },
  no_engine_available: {
    status: 503,
    message: 'The model is not available right now. Try again later, or choose another model.',
  },
  moving: {
    status: 503,
    message: 'The project is moving to another installation. Wait for the time in Retry-After, then try again.',
  },
  overloaded: { status: 503, message: 'The service is temporarily unavailable. Try again shortly.' },
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
  /** The things that are counted, such as `creates`. */
  what: string;
  burst: number;
  perMinute: number;
  /** Another sentence, such as which other requests count. */
  remark?: string | undefined;
  waitMilliseconds: number;
}): AppError {
  const { what, burst, perMinute, remark, waitMilliseconds } = limit;
  const retryAfterSeconds = Math.min(60, Math.ceil(waitMilliseconds / 1000));
  const sentences = [
    `Rate limit reached for ${what} (${burst} at once, ${perMinute} per minute).`,
    ...(remark === undefined ? [] : [remark]),
    `Try again in ${retryAfterSeconds} s.`,
  ];
  return new AppError('rate_limited', { retryAfterSeconds, message: sentences.join(' ') });
}

/** A failed wait for a permit: `rate_limited` with this message if the project used up its share, else `overloaded`. */
export function refusalOfWait(error: unknown, options: { retryAfterSeconds: number; message: string }): unknown {
  if (!(error instanceof NoPermit)) return error;
  const { retryAfterSeconds } = options;
  return error.isOwnShare
    ? new AppError('rate_limited', { ...options, cause: error })
    : new AppError('overloaded', { retryAfterSeconds, cause: error });
}

/** The engine certainly did not take the job. `busy`: it renders something else. `unreachable`: it takes no jobs. */
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
