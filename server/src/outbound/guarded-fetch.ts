import { Client } from 'undici';
import { OutboundRefused } from '../errors.ts';
import { checkLocation, checkUrl } from './check-url.ts';
import { createFetchLimit, type EnterFetch, type FetchLimit } from './fetch-limit.ts';
import { openConnection } from './open-connection.ts';
import { createAddressRule, type OutboundPolicy } from './outbound-policy.ts';
import { readBeginning } from './read-beginning.ts';
import { readBody } from './read-body.ts';
import { type Resolve, resolveTarget, resolveWithSystem } from './resolve-target.ts';
import { toRefusal } from './to-refusal.ts';
import { type Pace, watchPace } from './watch-pace.ts';

export interface GuardedFetchOptions {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** The limit of the decoded body. */
  maxBytes: number;
  /** `keep_beginning` returns what arrived of a long, broken or slow body, for callers that only need the status. */
  longBody?: 'refuse' | 'keep_beginning';
  /** The limit for everything: resolving, connecting, redirects, and the body to its last byte. */
  timeoutMilliseconds: number;
  /** How slowly the body may arrive within that limit; any speed by default. */
  pace?: Pace;
  /** With 0, or a method other than GET, a redirect is returned as it is. */
  maxRedirects: number;
  signal?: AbortSignal;
}

/** A response with its headers as they were sent, with lower-case names, and its body decoded. */
export interface GuardedResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface GuardedFetcher {
  /** Fetches from an untrusted URL; rejects with OutboundRefused, or with the caller's abort reason. */
  fetch(url: string, options: GuardedFetchOptions): Promise<GuardedResponse>;
  /** Aborts the fetches under way and refuses later ones. */
  close(): Promise<void>;
}

const maxHeaderBytes = 16 * 1024;
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];
// The headers that are also sent to another origin after a redirect; any other could be a secret meant for the first.
const harmlessHeaders: readonly string[] = ['accept', 'accept-language', 'user-agent'];

/**
 * Creates the one fetcher for URLs from callers and engines; throws if the policy contains a malformed network. Without
 * `perAddress`, any number of fetches may be under way at one address.
 */
export function createGuardedFetcher(
  policy: OutboundPolicy,
  parts: { resolve?: Resolve; perAddress?: FetchLimit | undefined } = {},
): GuardedFetcher {
  const target = {
    resolve: parts.resolve ?? resolveWithSystem,
    isAllowed: createAddressRule(policy),
  };
  const enterFetch = parts.perAddress ? createFetchLimit(parts.perAddress) : null;
  const underWay = new Map<AbortController, Promise<unknown>>();
  let closed = false;

  async function run(text: string, options: GuardedFetchOptions, ending: AbortController): Promise<GuardedResponse> {
    const follows = options.maxRedirects > 0 && (options.method ?? 'GET') === 'GET';
    let url = checkUrl(text, policy);
    let headers = lowerCaseNames(options.headers ?? {});
    for (let redirects = 0; ; redirects += 1) {
      const addresses = await resolveTarget(target, url.hostname, ending.signal);
      const result = await exchange(url, addresses, { ...options, headers, follows, ending, enterFetch });
      if ('body' in result) return result;
      if (redirects === options.maxRedirects) throw new OutboundRefused('too_many_redirects');
      const next = checkLocation(result.location, url, policy);
      if (next.origin !== url.origin) headers = keepHarmless(headers);
      url = next;
    }
  }

  return {
    async fetch(text, options) {
      options.signal?.throwIfAborted();
      if (closed) throw closedRefusal();
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(new OutboundRefused('timeout')), options.timeoutMilliseconds);
      const onCallerAbort = () => ending.abort(options.signal?.reason);
      options.signal?.addEventListener('abort', onCallerAbort, { once: true });
      const running = run(text, options, ending).finally(() => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onCallerAbort);
        underWay.delete(ending);
      });
      underWay.set(ending, running);
      return running;
    },
    async close() {
      closed = true;
      const left = [...underWay.values()];
      for (const ending of underWay.keys()) ending.abort(closedRefusal());
      await Promise.allSettled(left);
    },
  };
}

function closedRefusal(): OutboundRefused {
  return new OutboundRefused('connection_failed', { cause: new Error('the fetcher was closed') });
}

interface ExchangeOptions extends GuardedFetchOptions {
  headers: Record<string, string>;
  follows: boolean;
  /** Aborted with the reason why the exchange must end. */
  ending: AbortController;
  enterFetch: EnterFetch | null;
}

/** Sends one request on its own connection: no response comes from an address checked for another request. */
async function exchange(
  url: URL,
  addresses: readonly string[],
  { method = 'GET', headers, body, maxBytes, longBody = 'refuse', pace, follows, ending, enterFetch }: ExchangeOptions,
): Promise<GuardedResponse | { location: string | undefined }> {
  const { signal } = ending;
  const socket = await openConnection(url, addresses, signal);
  let release = () => {};
  let stopWatching = () => {};
  let handedOut = false;
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      // undici asks for another connection if one breaks under a request that it considers repeatable; there is only
      // one.
      if (handedOut) return callback(new Error('one connection serves one request'), null);
      handedOut = true;
      // Not synchronously: undici overlooks a connection that it gets before its own call returns.
      queueMicrotask(() => callback(null, socket));
    },
    allowH2: false,
    pipelining: 0,
    maxHeaderSize: maxHeaderBytes,
    // One deadline covers everything, so slow headers and bodies need no time-outs of their own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // undici's own signal option is not used, because it ignores an abort while a request still waits for its connection.
  const abortRequest = () => void client.destroy();
  signal.addEventListener('abort', abortRequest, { once: true });
  try {
    signal.throwIfAborted();
    // Only now is it known which of its addresses a host was reached at.
    if (enterFetch) release = await enterFetch(socket.remoteAddress ?? '', signal);
    const response = await client.request({
      method,
      path: url.pathname + url.search,
      headers: { 'user-agent': 'kinora', ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
    });
    // If reading the body stops early, the client destroys it; that must not surface as an unhandled error.
    response.body.on('error', () => {});
    if (follows && redirectStatuses.includes(response.statusCode))
      return { location: soleValue(response.headers.location) };
    if (pace) stopWatching = watchPace(socket, pace, () => ending.abort(new OutboundRefused('too_slow')));
    const responseHeaders = joinValues(response.headers);
    return {
      status: response.statusCode,
      headers: responseHeaders,
      body:
        longBody === 'refuse'
          ? await readBody(response.body, responseHeaders, maxBytes)
          : await readBeginning(response.body, maxBytes),
    };
  } catch (cause) {
    signal.throwIfAborted();
    throw toRefusal(cause);
  } finally {
    signal.removeEventListener('abort', abortRequest);
    stopWatching();
    release();
    socket.destroy();
    await client.destroy();
  }
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function keepHarmless(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmlessHeaders.includes(name)));
}

function joinValues(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

/** Returns undefined for two Location headers: choosing one of them would be a guess. */
function soleValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
