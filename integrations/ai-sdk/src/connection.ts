import { Kinora, KinoraError } from '@kinora/sdk';
import { callErrorOf } from './errors.ts';
import { accessOf, type KinoraProviderSettings } from './settings.ts';
import { version } from './version.ts';

/** What went over the line last, for `response` and for errors. */
export interface Exchange {
  url: string;
  responseHeaders: Record<string, string> | undefined;
}

/** The way to the service for one call of a model. */
export interface Connection {
  /** Sends a request once: the AI SDK repeats the call itself, as often as its `maxRetries` says. */
  once: Kinora;
  /** Follows a task over broken connections: it is created already, and asking costs nothing. */
  patient: Kinora;
  /** For a cancel after an abort: nobody waits for it any more, so it must not take long. */
  brief: Kinora;
  exchange: Exchange;
  /** Does it; what the client throws becomes an error of the AI SDK. `request` is shown in it. */
  attempt<Result>(request: unknown, work: () => Promise<Result>): Promise<Result>;
}

/** Opens a connection with the headers of one call. */
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
    // What the client itself sets stays: authorization, content type, idempotency key.
    for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
    Object.assign(exchange, {
      url: input instanceof Request ? input.url : input.toString(),
      responseHeaders: undefined,
    });
    const response = await send(input, { ...init, headers });
    exchange.responseHeaders = Object.fromEntries(response.headers);
    return response;
  };
  const client = { apiKey, baseUrl, fetch };
  return {
    once: new Kinora({ ...client, maxRetries: 0 }),
    patient: new Kinora(client),
    brief: new Kinora({ ...client, maxRetries: 2, timeoutMilliseconds: 5_000 }),
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

/** Those of the call win. The idempotency key belongs to the create alone, which sets it. */
function headersOf(...sources: (Record<string, string | undefined> | undefined)[]): Headers {
  const headers = new Headers();
  const agents: string[] = [];
  for (const [name, value] of sources.flatMap((source) => Object.entries(source ?? {}))) {
    if (value === undefined) continue;
    if (name.toLowerCase() === 'user-agent') agents.push(value);
    else headers.set(name, value);
  }
  headers.delete('idempotency-key');
  headers.set('user-agent', [...agents, `kinora-ai-sdk/${version}`].join(' '));
  return headers;
}
