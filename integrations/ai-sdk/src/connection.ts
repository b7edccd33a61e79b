import { Kinora, KinoraError } from '@kinora/sdk';
import { callErrorOf } from './errors.ts';
import { accessOf, type KinoraProviderSettings } from './settings.ts';
import { version } from './version.ts';

/** The last request and response, for the `response` field of results and for errors. */
export interface Exchange {
  url: string;
  responseHeaders: Record<string, string> | undefined;
}

/** Options of a request that is sent once, because the AI SDK retries the whole call up to its own `maxRetries`. */
export const sentOnce = { maxRetries: 0 };
/** Options of a request that finds or cancels a task after an abort. The caller has stopped waiting: give up soon. */
export const forCleanup = { maxRetries: 2, timeoutMilliseconds: 5_000 };

/** What one call of a model uses. */
export interface Connection {
  client: Kinora;
  exchange: Exchange;
  /** Runs `work` and turns a KinoraError into an APICallError of the AI SDK that shows `request`. */
  attempt<Result>(request: unknown, work: () => Promise<Result>): Promise<Result>;
}

/** Creates the client of one call, with its headers. */
export function connect(
  settings: KinoraProviderSettings,
  callHeaders: Record<string, string | undefined> = {},
): Connection {
  const { apiKey, baseUrl } = accessOf(settings);
  const exchange: Exchange = { url: baseUrl, responseHeaders: undefined };
  const extra = headersOf(settings.headers, callHeaders);
  const send = settings.fetch ?? globalThis.fetch;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = new Headers(extra);
    // The client's own headers win: authorization, content type, idempotency key.
    for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
    Object.assign(exchange, {
      url: input instanceof Request ? input.url : input.toString(),
      responseHeaders: undefined,
    });
    const response = await send(input, { ...init, headers });
    exchange.responseHeaders = Object.fromEntries(response.headers);
    return response;
  };
  return {
    client: new Kinora({ apiKey, baseUrl, fetch }),
    exchange,
    async attempt(request, work) {
      try {
        return await work();
      } catch (error) {
        throw error instanceof KinoraError ? callErrorOf(error, exchange, request) : error;
      }
    },
  };
}

/**
 * Merges headers; later sources win, except that user agents are joined. Drops the idempotency key, which only the
 * create may send and sets itself, and the content type, which belongs to the body.
 */
function headersOf(...sources: (Record<string, string | undefined> | undefined)[]): Headers {
  const headers = new Headers();
  const agents: string[] = [];
  for (const [name, value] of sources.flatMap((source) => Object.entries(source ?? {}))) {
    if (value === undefined) continue;
    if (name.toLowerCase() === 'user-agent') agents.push(value);
    else headers.set(name, value);
  }
  headers.delete('idempotency-key');
  headers.delete('content-type');
  headers.set('user-agent', [...agents, `kinora-ai-sdk/${version}`].join(' '));
  return headers;
}
