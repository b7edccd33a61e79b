import { ConnectionError, errorOfResponse, InvalidRequestError, KinoraError, retryAfterSeconds } from './errors.ts';
import { readEvents, type StreamEvent } from './read-events.ts';
import { type ResponsePromise, responsePromise, type WithResponse } from './response-promise.ts';

/** How a client connects to its service. */
export interface HttpOptions {
  baseUrl: string;
  /**
   * Called before every request, because a token may be short-lived, and with the former one after the service has
   * refused that. If it returns null, no `authorization` header is sent.
   */
  bearer: (refused?: string) => Promise<string | null>;
  /** Whether `bearer` may return another one after the service has refused one. */
  isBearerRenewable: boolean;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
  timeoutMilliseconds: number;
}

/** Options of every request. They override those of the client. */
export interface RequestOptions {
  /** Aborts the request; the call then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of one response, not counting the time that the service was asked to wait. */
  timeoutMilliseconds?: number | undefined;
  /** How many times the request is retried at most. */
  maxRetries?: number | undefined;
  /**
   * Extra headers, such as `{ prefer: 'handling=strict' }`. The client's own win: authorization, content type and
   * idempotency key.
   */
  headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** One request. */
export interface HttpRequest extends RequestOptions {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Starts with `/v1`. The further elements of a list are encoded, because a caller chose them. */
  path: string | readonly [start: string, ...segments: unknown[]];
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Sent as JSON, or as a form if it is `FormData`. */
  body?: unknown;
  /** The same key with the same request always has the same result, so that the request may be sent twice. */
  idempotencyKey?: string | undefined;
  /** Added to the time limit, because the service was asked to wait before it responds. */
  extraMilliseconds?: number | undefined;
  /** Whether this POST may be sent twice. Other methods, and requests with an idempotency key, always may. */
  isRepeatable?: boolean | undefined;
  /** The caller reads the response body, without a time limit. */
  isStream?: boolean | undefined;
  /**
   * If true, the request is retried only if the service asks for it (`x-should-retry`). The caller handles broken
   * connections and proxy errors.
   */
  retriesOnlyIfAsked?: boolean | undefined;
  /** Called after each try that the service may have acted on: every try except those that got status 429. */
  onPossiblyReceived?: (() => void) | undefined;
  /** Names of fields in errors of the service, and what the caller knows them as. */
  renamedFields?: readonly [sent: string, given: string] | undefined;
}

type QuerySingle = string | number | boolean | null | undefined;
type QueryValue = QuerySingle | readonly QuerySingle[] | Readonly<Record<string, QuerySingle>>;

/** The requests that a client can send. */
export interface Http {
  /**
   * Sends a request, retries it if that is safe, and returns the response. Throws a KinoraError unless the status is
   * 2xx.
   */
  send(request: HttpRequest): Promise<Response>;
  /** Sends a request in the same way, once it is ready, and returns the response's JSON. */
  json<Body>(request: HttpRequest | Promise<HttpRequest>): ResponsePromise<Body>;
  /**
   * Opens a stream of server-sent events; retries only if the service asks for it. Ending the iteration closes the
   * connection.
   */
  openEvents(request: HttpRequest): Promise<AsyncGenerator<StreamEvent>>;
}

/** 10 s: the service starts a stream at once. If nothing arrives for longer, a proxy is buffering the stream. */
const maxStartMilliseconds = 10_000;
/** Statuses that a proxy sends while its service is down or busy. */
const transientStatuses: readonly number[] = [408, 429, 502, 503, 504];
const longestPauseMilliseconds = 8_000;
const longestRetryAfterMilliseconds = 60_000;
/** 11 days replace Infinity (no limit), because a timer of more than 24 days fires at once. */
const longestTimeoutMilliseconds = 1_000_000_000;

/** Creates the client's only access to the service, with authorisation, time limits, retries and errors. */
export function createHttp(options: HttpOptions): Http {
  const { fetch } = options;
  const timeoutOf = (request: RequestOptions) =>
    Math.min(request.timeoutMilliseconds ?? options.timeoutMilliseconds, longestTimeoutMilliseconds);

  async function attempt(request: HttpRequest, bearer: string | null): Promise<Response> {
    const { method, signal, extraMilliseconds = 0, isStream = false } = request;
    const url = urlOf(options.baseUrl, request);
    const written = write(request, bearer);
    signal?.throwIfAborted(); // the caller may have aborted while the token was fetched
    const limit = new AbortController();
    const late = () => limit.abort(new Error('The service did not respond in time.'));
    const timer = setTimeout(late, timeoutOf(request) + extraMilliseconds);
    let isRateLimited = false;
    try {
      const response = await fetch(url, {
        ...written,
        method,
        // A followed redirect would turn a POST into a GET, and would drop the key or send it to another host.
        redirect: bearer === null ? 'follow' : 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      isRateLimited = response.status === 429;
      if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
        throw new ConnectionError('The service responds with a redirect. Use the address that it leads to as baseUrl.');
      }
      if (isStream && response.ok) return response;
      // The body is read here, so that a connection that breaks in the middle of it is retried too.
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
      if (!isRateLimited) request.onPossiblyReceived?.();
    }
  }

  /** Tries once, or twice if the service refuses the token: nothing was done for a request with a refused token. */
  async function attemptWithBearer(request: HttpRequest): Promise<Response> {
    const bearer = await options.bearer();
    const response = await attempt(request, bearer);
    if (response.status !== 401 || bearer === null || !options.isBearerRenewable) return response;
    return attempt(request, await options.bearer(bearer));
  }

  async function send(request: HttpRequest): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const isLast = tries > (request.maxRetries ?? options.maxRetries);
      try {
        const response = await attemptWithBearer(request);
        if (response.ok) return response;
        if (isLast || !shouldRetry(request, response)) throw await errorOfResponse(response, request.renamedFields);
        await pause(retryPause(tries, retryAfterSeconds(response.headers)), request.signal);
      } catch (error) {
        const isTransient = error instanceof ConnectionError && error.isRetryable;
        if (!isTransient || isLast || request.retriesOnlyIfAsked || !isRepeatable(request)) throw error;
        await pause(retryPause(tries, null), request.signal);
      }
    }
  }

  async function parsed<Body>(request: HttpRequest | Promise<HttpRequest>): Promise<WithResponse<Body>> {
    const response = await send(await request);
    try {
      return { data: (await response.json()) as Body, response }; // openapi.json promises this type
    } catch (cause) {
      throw new ConnectionError('The response is not from a Kinora service. Check baseUrl and any proxy in between.', {
        status: response.status,
        requestId: response.headers.get('x-request-id'),
        cause,
      });
    }
  }

  async function openEvents(request: HttpRequest): Promise<AsyncGenerator<StreamEvent>> {
    const headers = { accept: 'text/event-stream', ...request.headers };
    const timeoutMilliseconds = Math.min(timeoutOf(request), maxStartMilliseconds);
    const response = await send({ ...request, headers, timeoutMilliseconds, isStream: true, retriesOnlyIfAsked: true });
    const { body } = response;
    if (body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return readEvents(body, timeoutMilliseconds);
    }
    await body?.cancel();
    throw new ConnectionError('A proxy in front of the service blocks event streams.');
  }

  return { send, json: (request) => responsePromise(parsed(request)), openEvents };
}

/** Follows the service's `x-should-retry` if there is one. A proxy that responds in its place does not send it. */
function shouldRetry(request: HttpRequest, { status, headers }: Response): boolean {
  const advice = headers.get('x-should-retry');
  if (advice !== null) return advice === 'true';
  return transientStatuses.includes(status) && !request.retriesOnlyIfAsked && isRepeatable(request);
}

/** Whether a request may be sent twice. A create without an idempotency key may not: the first try may have arrived. */
function isRepeatable({ method, idempotencyKey, isRepeatable = false }: HttpRequest): boolean {
  return method !== 'POST' || isRepeatable || idempotencyKey !== undefined;
}

/**
 * Returns the milliseconds to wait before the next try: what the service asked for, else half a second that doubles
 * with each try. The doubling time is randomised, so that many clients do not return at the same moment.
 */
export function retryPause(tries: number, retryAfter: number | null): number {
  if (retryAfter !== null) return Math.min(retryAfter * 1000, longestRetryAfterMilliseconds);
  return Math.min(500 * 2 ** (tries - 1), longestPauseMilliseconds) * (0.75 + 0.5 * Math.random());
}

/** Waits this long; rejects with the signal's reason as soon as it is aborted. */
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

/**
 * Serialises a request. If that fails, the request is invalid: it is not a connection error and must not be retried.
 */
function write(
  { headers: given = {}, idempotencyKey, body }: HttpRequest,
  bearer: string | null,
): { headers: Headers; body?: string | FormData } {
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value);
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`);
    if (body === undefined) return { headers };
    if (body instanceof FormData) {
      headers.delete('content-type'); // fetch sets it, with the boundary of the form
      return { headers, body };
    }
    headers.set('content-type', 'application/json');
    return { headers, body: JSON.stringify(body) };
  } catch (cause) {
    throw new InvalidRequestError(`The request cannot be sent: ${textOf(cause)}`, { cause });
  }
}

function urlOf(baseUrl: string, { path, query = {} }: HttpRequest): string {
  const [start, ...segments] = typeof path === 'string' ? [path] : path;
  const url = new URL([baseUrl + start, ...segments.map(encodeSegment)].join('/'));
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'object') addQuery(url, name, value);
    // Several values are alternatives; named values become `metadata[key]=value`. The service refuses an empty list: to
    // leave it out would return everything.
    else if (Array.isArray(value)) addQuery(url, name, value.join(','));
    else for (const [key, single] of Object.entries(value ?? {})) addQuery(url, `${name}[${key}]`, single);
  }
  return url.href;
}

function addQuery(url: URL, name: string, value: QuerySingle): void {
  if (value !== undefined && value !== null) url.searchParams.append(name, String(value));
}

/** A segment that is empty or made of dots would make it the URL of something else. */
function encodeSegment(segment: unknown): string {
  if (typeof segment === 'string' && !/^\.{0,2}$/.test(segment)) return encodeURIComponent(segment);
  throw new InvalidRequestError(`An id must be a string such as "task_01k…", not "${String(segment)}".`);
}

/**
 * Returns the text of the underlying error. `fetch` wraps it as a cause, and as an AggregateError if it tried several
 * addresses.
 */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(textOf).join(', ');
  return error.cause instanceof Error ? textOf(error.cause) : error.message;
}
