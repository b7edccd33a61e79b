import type { ErrorDetail } from '@kinora/sdk';

/** An error of the console's own API, in the shape of the public API's errors. */
export class ConsoleApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: readonly ErrorDetail[];
  /** After how many seconds it is worth trying again; null if the server does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Pick<Response, 'status' | 'headers'>, body: ErrorBody) {
    const { status, headers } = response;
    const { code = 'internal_error', message = '', request_id = null, details = [] } = body;
    super(message || `The console's server responded with status ${status}.`);
    this.status = status;
    this.code = code;
    this.requestId = request_id;
    this.details = details;
    const retryAfter = headers.get('retry-after');
    this.retryAfterSeconds = retryAfter === null ? null : Number(retryAfter);
  }
}

interface ErrorBody {
  code?: string;
  message?: string;
  request_id?: string | null;
  details?: readonly ErrorDetail[];
}

/** The console's server did not respond. */
export class ConsoleUnreachable extends Error {}

/** Sends a request to the console's own API. The cookie of the session goes with it. */
export async function consoleApi<Response>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: `/${string}`,
  body?: unknown,
): Promise<Response> {
  const response = await fetch(`/console-api${path}`, {
    method,
    headers: {
      // Other sites can send neither of these two.
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      'x-kinora-console': '1',
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  }).catch((error: unknown) => {
    throw new ConsoleUnreachable('The console cannot be reached.', { cause: error });
  });
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Response;
  throw new ConsoleApiError(response, errorOf(text));
}

function errorOf(text: string): ErrorBody {
  try {
    return (JSON.parse(text) as { error?: ErrorBody }).error ?? {};
  } catch {
    return {};
  }
}
