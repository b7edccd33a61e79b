import type { AppError } from '../errors.ts';
import type { errorTypes, PublicError } from './error-schema.ts';

interface Context {
  requestId: string;
  /** Whether the request can be sent again without a second effect. */
  isRepeatable: boolean;
}

/** Returns the body of an error response. No other function exposes an error to callers. */
export function presentError(error: AppError, context: Context): PublicError {
  return {
    error: {
      message: error.message,
      type: typeOf(error.status),
      code: error.code,
      param: error.param,
      retryable: isRetryable(error, context.isRepeatable),
      details: error.details.map(({ param, code, message, allowed }) => ({
        param,
        code,
        message,
        ...(allowed === undefined ? {} : { allowed: [...allowed] }),
      })),
    },
    request_id: context.requestId,
  };
}

/** Returns the headers that tell a client how to react to an error. */
export function errorHeaders(error: AppError, context: Pick<Context, 'isRepeatable'>): Record<string, string> {
  const headers: Record<string, string> = {
    'x-should-retry': String(isRetryable(error, context.isRepeatable)),
    'cache-control': 'no-store',
  };
  const retryAfterSeconds = error.retryAfterSeconds ?? (error.status === 429 || error.status === 503 ? 5 : null);
  if (retryAfterSeconds !== null)
    headers['retry-after'] = String(Math.min(60, Math.max(1, Math.ceil(retryAfterSeconds))));
  if (error.status === 401) {
    headers['www-authenticate'] =
      error.code === 'missing_api_key' ? 'Bearer realm="kinora"' : 'Bearer realm="kinora", error="invalid_token"';
  }
  if (error.code === 'insufficient_scope') {
    headers['www-authenticate'] = 'Bearer realm="kinora", error="insufficient_scope"';
  }
  return headers;
}

/** A repeated create would create a second task, so a 500 may be retried only if the request is repeatable. */
function isRetryable({ code, status }: AppError, isRepeatable: boolean): boolean {
  if (code === 'rate_limited' || code === 'idempotency_in_progress' || status === 503) return true;
  return status === 500 && isRepeatable;
}

function typeOf(status: number): (typeof errorTypes)[number] {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
