import { ConnectionError, errorOfResponse, InvalidRequestError, KinoraError, retryAfterSeconds } from './errors.ts';
import { readEvents, type StreamEvent } from './read-events.ts';

/** How a client reaches its service. */
export interface HttpOptions {
  baseUrl: string;
  /** Asked before every request: a token may be short-lived. Null: no header is sent. */
  bearer: () => Promise<string | null>;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
  timeoutMilliseconds: number;
}

/** What every request takes. */
export interface RequestOptions {
  /** Gives the request up; what is thrown then is the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** One request; `path` starts with `/v1`. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string | number | readonly string[] | undefined> | undefined;
  /** Sent as JSON, or as a form where it is one. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** The answer may take this much longer: the service was asked to wait. */
  extraMilliseconds?: number | undefined;
  /** A POST that may be sent twice, because the second changes nothing. Everything else, and what has an idempotency key, always may. */
  isRepeatable?: boolean | undefined;
  /** The body of the answer is read by the caller, without a time limit. */
  isStream?: boolean | undefined;
  /** A broken connection is the caller's to deal with. What the service itself asks to repeat is still repeated. */
  isSingle?: boolean | undefined;
  /** Called after every try that the service may have acted on: all but those that were turned away with 429. */
  onTaken?: (() => void) | undefined;
}

/** What can be asked of a service. */
export interface Http {
  /** Sends it, again where that is safe and sensible, and hands back the answer; throws a KinoraError for any that is not 2xx. */
  send(request: HttpRequest): Promise<Response>;
  /** The same, with the answer's JSON. */
  json<Answer>(request: HttpRequest): Promise<Answer>;
  /** Opens a stream of server-sent events, once; whoever stops reading closes it. */
  openEvents(request: HttpRequest): Promise<AsyncGenerator<StreamEvent>>;
}

/** The service begins a stream at once. What is silent for longer is held back by something in between. */
const longestBeginMilliseconds = 10_000;
/** The answers of proxies whose service is away or busy. */
const passingStatuses: readonly number[] = [408, 429, 502, 503, 504];
const longestPauseMilliseconds = 8_000;
const longestRetryAfterMilliseconds = 60_000;
/** Whoever wants no limit says Infinity; a timer that is given more than 24 days fires at once. */
const longestTimeoutMilliseconds = 1_000_000_000;

/** The one way to the service: authorisation, time limits, retries and errors. */
export function createHttp(options: HttpOptions): Http {
  const { fetch } = options;
  const timeoutMilliseconds = Math.min(options.timeoutMilliseconds, longestTimeoutMilliseconds);
  const beginMilliseconds = Math.min(timeoutMilliseconds, longestBeginMilliseconds);

  async function attempt(request: HttpRequest): Promise<Response> {
    const { method, signal, extraMilliseconds = 0, isStream = false } = request;
    const bearer = await options.bearer();
    const written = write(request, bearer);
    signal?.throwIfAborted(); // the token may have taken its time
    const limit = new AbortController();
    const late = () => limit.abort(new Error('The service did not answer in time.'));
    const timer = setTimeout(late, timeoutMilliseconds + extraMilliseconds);
    let isTurnedAway = false;
    try {
      const response = await fetch(urlOf(options.baseUrl, request), {
        ...written,
        method,
        // Followed, a POST would become a GET, and the key would be left out or go where nobody meant it to.
        redirect: bearer === null ? 'follow' : 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      isTurnedAway = response.status === 429;
      if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
        throw new ConnectionError('The service answers with a redirect. Give the address that it leads to as baseUrl.');
      }
      if (isStream && response.ok) return response;
      // Read here, so that a connection that breaks in the middle of an answer counts as broken.
      const bytes = await response.arrayBuffer();
      return new Response(bytes.byteLength > 0 ? bytes : null, { status: response.status, headers: response.headers });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof KinoraError) throw error;
      throw new ConnectionError(`The service could not be reached: ${textOf(error)}`, {
        cause: error,
        isRetryable: true,
      });
    } finally {
      clearTimeout(timer);
      if (!isTurnedAway) request.onTaken?.();
    }
  }

  async function send(request: HttpRequest): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const isLast = tries > options.maxRetries;
      try {
        const response = await attempt(request);
        if (response.ok) return response;
        if (isLast || !shouldRetry(request, response)) throw await errorOfResponse(response);
        await pause(retryPause(tries, retryAfterSeconds(response.headers)), request.signal);
      } catch (error) {
        const isPassing = error instanceof ConnectionError && error.isRetryable;
        if (!isPassing || isLast || request.isSingle || !isRepeatable(request)) throw error;
        await pause(retryPause(tries, null), request.signal);
      }
    }
  }

  async function json<Answer>(request: HttpRequest): Promise<Answer> {
    const response = await send(request);
    try {
      return (await response.json()) as Answer; // the contract's word for it
    } catch (cause) {
      throw new ConnectionError(
        'Something that is no Kinora service has answered. Check baseUrl, and what lies between.',
        {
          status: response.status,
          requestId: response.headers.get('x-request-id'),
          cause,
        },
      );
    }
  }

  async function openEvents(request: HttpRequest): Promise<AsyncGenerator<StreamEvent>> {
    const headers = { accept: 'text/event-stream', ...request.headers };
    const extraMilliseconds = beginMilliseconds - timeoutMilliseconds; // less, not more
    const response = await send({ ...request, headers, extraMilliseconds, isStream: true, isSingle: true });
    const { body } = response;
    if (body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return readEvents(body, beginMilliseconds);
    }
    await body?.cancel();
    throw new ConnectionError('Something between here and the service does not let event streams through.');
  }

  return { send, json, openEvents };
}

/** The service knows best whether the same request may succeed later; a proxy that answers for it does not say. */
function shouldRetry(request: HttpRequest, { status, headers }: Response): boolean {
  const said = headers.get('x-should-retry');
  if (said !== null) return said === 'true';
  return passingStatuses.includes(status) && !request.isSingle && isRepeatable(request);
}

/** Without an idempotency key a create that was perhaps received must not be sent again. */
function isRepeatable({ method, headers, isRepeatable = false }: HttpRequest): boolean {
  return method !== 'POST' || isRepeatable || headers?.['idempotency-key'] !== undefined;
}

/** Half a second, then twice as long each time, with chance so that many clients do not come back at once. */
export function retryPause(tries: number, retryAfter: number | null): number {
  if (retryAfter !== null) return Math.min(retryAfter * 1000, longestRetryAfterMilliseconds);
  return Math.min(500 * 2 ** (tries - 1), longestPauseMilliseconds) * (0.75 + 0.5 * Math.random());
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** What cannot even be written down is the caller's to correct: no connection is to blame, and trying again is no help. */
function write(
  { headers: given, body }: HttpRequest,
  bearer: string | null,
): { headers: Headers; body?: string | FormData } {
  try {
    const headers = new Headers(given);
    if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`);
    if (body === undefined) return { headers };
    if (body instanceof FormData) return { headers, body };
    headers.set('content-type', 'application/json');
    return { headers, body: JSON.stringify(body) };
  } catch (cause) {
    throw new InvalidRequestError(`The request cannot be sent: ${textOf(cause)}`, { cause });
  }
}

function urlOf(baseUrl: string, { path, query = {} }: HttpRequest): string {
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(query)) {
    for (const single of Array.isArray(value) ? value : [value]) {
      if (single !== undefined) url.searchParams.append(name, String(single));
    }
  }
  return url.href;
}

/** fetch hides what happened in the cause of "fetch failed"; where it has tried several addresses, in the errors of that. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(textOf).join(', ');
  return error.cause instanceof Error ? textOf(error.cause) : error.message;
}
