import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { KinoraError } from './errors.ts';
import { type FollowProjectOptions, followProject } from './follow-project.ts';
import type { Event, GetUsageData, Limits, Model, ModelList, File as UploadedFile, Usage } from './generated/types.ts';
import { createHttp, type Http, type RequestOptions } from './http.ts';
import { type ImageSource, uploadImage } from './image-source.ts';
import { createVideos, type Videos } from './videos.ts';

/** How a client is made. */
export interface KinoraOptions {
  /** A key of the project, for servers: `kin_live_…` or `kin_test_…`. Taken from KINORA_API_KEY where there is one. */
  apiKey?: string | undefined;
  /** Instead of a key: a short-lived token of your own backend, or what fetches one. It is asked for before every request. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** Where the service is. Taken from KINORA_BASE_URL where there is one. */
  baseUrl?: string | undefined;
  /** How often a request is sent again at most. */
  maxRetries?: number | undefined;
  /** How long an answer may take, beyond what the service was asked to wait. */
  timeoutMilliseconds?: number | undefined;
  /** Instead of the platform's own fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Whoever opens the page can read the key and spend with it. Only for tools that never leave your own machine. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** A client of one service and project. */
export class Kinora {
  readonly videos: Videos;
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

  /** Uploads an image once; its id serves as `image` in any number of creates for 24 hours. */
  upload(image: Exclude<ImageSource, URL | string>, { signal }: RequestOptions = {}): Promise<UploadedFile> {
    return uploadImage(this.#http, image, signal);
  }

  /** What each model can do, how fast it is, and whether it is available. */
  async models({ signal }: RequestOptions = {}): Promise<Model[]> {
    return (await this.#http.json<ModelList>({ method: 'GET', path: '/v1/models', signal })).data;
  }

  /** The limits of the project, with their present use. */
  limits({ signal }: RequestOptions = {}): Promise<Limits> {
    return this.#http.json<Limits>({ method: 'GET', path: '/v1/limits', signal });
  }

  /** What the project used, by hour or day. */
  usage(query: NonNullable<GetUsageData['query']> = {}, { signal }: RequestOptions = {}): Promise<Usage> {
    return this.#http.json<Usage>({ method: 'GET', path: '/v1/usage', query, signal });
  }

  /** The events of the whole project as they come, over broken connections too; the signal ends it. */
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

/** A page; workers and servers that happen to define `window` do not have a document. */
function isBrowser(): boolean {
  return 'window' in globalThis && 'document' in globalThis;
}

/** Node, Bun and Deno have it, browsers do not. */
function fromEnvironment(name: string): string | undefined {
  const platform = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return platform.process?.env?.[name] || undefined;
}
