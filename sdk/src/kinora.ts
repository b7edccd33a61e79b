import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { KinoraError } from './errors.ts';
import { type FollowProjectOptions, followProject } from './follow-project.ts';
import type { Event, GetUsageData, Limits, Model, ModelList, File as UploadedFile, Usage } from './generated/types.ts';
import { createHttp, type Http, type RequestOptions } from './http.ts';
import { type ImageSource, uploadImage } from './image-source.ts';
import { createVideos, type Videos } from './videos.ts';

/** Options of `new Kinora`. */
export interface KinoraOptions {
  /** The project's API key, `kin_live_…` or `kin_test_…`. For servers only. Default: the variable KINORA_API_KEY. */
  apiKey?: string | undefined;
  /**
   * A short-lived token from your own backend, used instead of a key. If it is a function, the client calls it before
   * every request.
   */
  token?: string | (() => string | Promise<string>) | undefined;
  /** The address of the service, such as `https://kinora.example.com`. Default: the variable KINORA_BASE_URL. */
  baseUrl?: string | undefined;
  /** How many times a failed request is retried at most. Default: 5. */
  maxRetries?: number | undefined;
  /** Time limit of one response, not counting the time that the service was asked to wait. Default: 60 000. */
  timeoutMilliseconds?: number | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
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
  /** Manages the project's API keys. */
  readonly apiKeys: ApiKeys;
  readonly #http: Http;
  readonly #maxRetries: number;

  constructor(options: KinoraOptions = {}) {
    const { token, dangerouslyAllowBrowser = false, maxRetries = 5 } = options;
    const apiKey = options.apiKey ?? (token === undefined ? fromEnvironment('KINORA_API_KEY') : undefined);
    const baseUrl = options.baseUrl ?? fromEnvironment('KINORA_BASE_URL');
    if (!baseUrl) throw new KinoraError('No address: give baseUrl, or set KINORA_BASE_URL.');
    if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new KinoraError('baseUrl must be a URL, as https://kinora.example.com.');
    }
    if (!apiKey && token === undefined) throw new KinoraError('No key: give apiKey, or set KINORA_API_KEY.');
    const mayHoldKey = dangerouslyAllowBrowser || !isBrowser();
    if (!mayHoldKey && (apiKey !== undefined || isKey(token))) throw new KinoraError(keyInPage);
    this.#maxRetries = maxRetries;
    this.#http = createHttp({
      baseUrl,
      async bearer() {
        const bearer = typeof token === 'function' ? await token() : (token ?? apiKey ?? null);
        if (!mayHoldKey && isKey(bearer)) throw new KinoraError(keyInPage);
        return bearer;
      },
      fetch: options.fetch ?? globalThis.fetch,
      maxRetries,
      timeoutMilliseconds: options.timeoutMilliseconds ?? 60_000,
    });
    this.videos = createVideos(this.#http, maxRetries);
    this.apiKeys = createApiKeys(this.#http);
  }

  /** Uploads an image. Its id works as `image` in any number of creates for 24 hours. */
  upload(image: Exclude<ImageSource, URL | string>, { signal }: RequestOptions = {}): Promise<UploadedFile> {
    return uploadImage(this.#http, image, signal);
  }

  /** Returns every model: what it can do, how fast it is, and whether it is available. */
  async models({ signal }: RequestOptions = {}): Promise<Model[]> {
    return (await this.#http.json<ModelList>({ method: 'GET', path: '/v1/models', signal })).data;
  }

  /** Returns the project's limits and how much of each is used now. */
  limits({ signal }: RequestOptions = {}): Promise<Limits> {
    return this.#http.json<Limits>({ method: 'GET', path: '/v1/limits', signal });
  }

  /** Returns the project's usage per hour or day. By default it covers the last 30 days, per day. */
  usage(query: NonNullable<GetUsageData['query']> = {}, { signal }: RequestOptions = {}): Promise<Usage> {
    return this.#http.json<Usage>({ method: 'GET', path: '/v1/usage', query, signal });
  }

  /**
   * Iterates over the events of the whole project as they happen, and reconnects if the connection breaks. It ends only
   * if the signal is aborted or the service cannot be used: `for await (const event of kinora.events({ signal }))`.
   */
  events(options: FollowProjectOptions = {}): AsyncIterable<Event> {
    return followProject(this.#http, options, this.#maxRetries);
  }
}

const keyInPage =
  'A key in a page belongs to everybody who opens it. Give the page a token of your backend (`token`), or the ' +
  '`events_url` of one task (`followEventsUrl`); a tool of your own may set dangerouslyAllowBrowser.';

function isKey(token: unknown): boolean {
  return typeof token === 'string' && token.startsWith('kin_');
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
