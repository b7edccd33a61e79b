import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { type AuditEvents, createAuditEvents } from './audit-events.ts';
import { KinoraError } from './errors.ts';
import { createFiles, type Files } from './files.ts';
import { type FollowProjectOptions, followProject } from './follow-project.ts';
import type { GetUsageData, Limits, Usage } from './generated/types.ts';
import { createHttp, type RequestOptions } from './http.ts';
import { type Log, loggedFetch } from './logged-fetch.ts';
import { createModels, type Models } from './models.ts';
import type { ResponsePromise } from './response-promise.ts';
import type { KinoraEvent } from './task.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createVideos, type Videos } from './videos.ts';
import { createWebhookEndpoints, type WebhookEndpoints } from './webhook-endpoints.ts';

/** Options of `new Kinora`. */
export interface KinoraOptions {
  /** The project's API key, `kin_live_…` or `kin_test_…`. For servers only. Default: the variable KINORA_API_KEY. */
  apiKey?: string | undefined;
  /**
   * A short-lived token from your own backend, used instead of a key. If it is a function, the client calls it before
   * every request. If the service refuses the token, the client calls the function once more, with the refused token,
   * and repeats the request.
   */
  token?: string | ((refused?: string) => string | Promise<string>) | undefined;
  /**
   * The address of the service, such as `https://kinora.example.com`, with or without `/v1`. Default: the variable
   * KINORA_BASE_URL.
   */
  baseUrl?: string | undefined;
  /** How many times a failed request is retried at most. Default: 5. */
  maxRetries?: number | undefined;
  /** Time limit of one response, not counting the time that the service was asked to wait. Default: 60 000. */
  timeoutMilliseconds?: number | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Called with one line for every try of a request, for example `console.error`. Default: nothing is logged. */
  log?: Log | undefined;
  /**
   * Allows an API key in a web page, where everyone who opens the page can read and use it. Only for tools that never
   * leave your own machine. Default: false.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** A client for one project of a Kinora service. */
export class Kinora {
  /** Creates, follows, lists and downloads videos. */
  readonly videos: Videos;
  /** Uploads images for image-to-video requests. */
  readonly files: Files;
  /** The models of the service: what each can do, how fast it is, and whether it is available. */
  readonly models: Models;
  /** The project's limits. */
  readonly limits: {
    /** Returns the project's limits and how much of each is used now. */
    get(options?: RequestOptions): ResponsePromise<Limits>;
  };
  /** The project's usage. */
  readonly usage: {
    /** Returns the project's usage per hour or day. By default it covers the last 30 days, per day. */
    get(query?: NonNullable<GetUsageData['query']>, options?: RequestOptions): ResponsePromise<Usage>;
  };
  /** The events of the project. */
  readonly events: {
    /**
     * Iterates over the events of the whole project as they happen, and reconnects if the connection breaks. It ends
     * only if the signal is aborted or the service cannot be used:
     * `for await (const event of kinora.events.stream({ signal }))`.
     */
    stream(options?: FollowProjectOptions): AsyncIterable<KinoraEvent>;
  };
  /** Makes short-lived tokens for web pages. */
  readonly tokens: Tokens;
  /** Manages the project's API keys. */
  readonly apiKeys: ApiKeys;
  /** The project's audit log: who changed what, and when. */
  readonly auditEvents: AuditEvents;
  /** Manages where the service sends events, and shows what it sent. */
  readonly webhookEndpoints: WebhookEndpoints;

  constructor(options: KinoraOptions = {}) {
    const { token, dangerouslyAllowBrowser = false, maxRetries = 5 } = options;
    const apiKey = options.apiKey ?? (token === undefined ? fromEnvironment('KINORA_API_KEY') : undefined);
    const baseUrl = options.baseUrl ?? fromEnvironment('KINORA_BASE_URL');
    if (!baseUrl) throw new KinoraError('There is no address. Pass baseUrl, or set KINORA_BASE_URL.');
    if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new KinoraError('baseUrl must be a URL such as https://kinora.example.com.');
    }
    if (!apiKey && token === undefined) throw new KinoraError('There is no key. Pass apiKey, or set KINORA_API_KEY.');
    const mayHoldKey = dangerouslyAllowBrowser || !isBrowser();
    if (!mayHoldKey && (apiKey !== undefined || isKey(token))) throw new KinoraError(keyInPage);
    const fetch = options.fetch ?? globalThis.fetch;
    const http = createHttp({
      baseUrl: baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''),
      async bearer(refused) {
        const bearer = typeof token === 'function' ? await token(refused) : (token ?? apiKey ?? null);
        if (!mayHoldKey && isKey(bearer)) throw new KinoraError(keyInPage);
        return bearer;
      },
      isBearerRenewable: typeof token === 'function',
      fetch: options.log ? loggedFetch(fetch, options.log) : fetch,
      maxRetries,
      timeoutMilliseconds: options.timeoutMilliseconds ?? 60_000,
    });
    this.videos = createVideos(http, maxRetries);
    this.files = createFiles(http);
    this.models = createModels(http);
    this.limits = { get: (options) => http.json<Limits>({ ...options, method: 'GET', path: '/v1/limits' }) };
    this.usage = {
      get: (query = {}, options) => http.json<Usage>({ ...options, method: 'GET', path: '/v1/usage', query }),
    };
    this.events = { stream: (options = {}) => followProject(http, options, maxRetries) };
    this.tokens = createTokens(http);
    this.apiKeys = createApiKeys(http);
    this.auditEvents = createAuditEvents(http);
    this.webhookEndpoints = createWebhookEndpoints(http);
  }
}

const keyInPage =
  'Everyone who opens a page can read the key in it. Give the page a token of your backend (`token`), or the ' +
  '`events_url` of one task (`followEventsUrl`). A tool of your own may set dangerouslyAllowBrowser.';

function isKey(token: unknown): boolean {
  return typeof token === 'string' && /^kin_(?:live|test)_/.test(token);
}

/** Whether this is a web page. Servers that define `window` have no `document`. */
function isBrowser(): boolean {
  return 'window' in globalThis && 'document' in globalThis;
}

/** Reads an environment variable. Node, Bun and Deno have `process.env`; browsers do not. */
function fromEnvironment(name: string): string | undefined {
  const platform = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return platform.process?.env?.[name] || undefined;
}
