import { pipeline, type Readable, Transform } from 'node:stream';
import { Agent, type Dispatcher, request as httpRequest } from 'undici';
import { maximumRawBytes } from '../domain/raw-output.ts';
import { OutputInvalid, SubmitRefused } from '../errors.ts';

interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | undefined;
  /** Sent as JSON, unless `headers` name another content type. */
  body?: string | Buffer | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  timeoutMilliseconds?: number | undefined;
}

interface EngineResponse {
  status: number;
  /** The body as parsed JSON; null if it is not JSON. */
  json: unknown;
  /** The body as text, for responses that are not JSON, such as metrics. */
  text: string;
  /** The engine's clock in milliseconds since 1970 when it responded, in whole seconds; null if it does not say. */
  engineTime: number | null;
}

/** The adapters' HTTP client limits time and size, follows no redirects, and knows which requests were never sent. */
export interface EngineHttp {
  /** Sends a request; its response has at most 1 MB. Throws if the engine cannot be reached or is too slow. */
  request(path: string, options?: RequestOptions): Promise<EngineResponse>;
  /** Like `request`, but on a new connection: throws SubmitRefused if no connection was ever established. */
  submit(path: string, options: RequestOptions): Promise<EngineResponse>;
  /** Returns a file of at most 2 GB; throws OutputInvalid if the engine certainly has none. */
  download(path: string): Promise<Readable>;
  close(): Promise<void>;
}

const connectMilliseconds = 2_000;
const requestMilliseconds = 5_000;
const submitMilliseconds = 10_000;
const outputIdleMilliseconds = 30_000;
const outputMilliseconds = 30 * 60_000;
const maximumResponseBytes = 1024 * 1024;

/** The operator sets the URL and the token; everything that comes back is from the engine, so it is untrusted. */
export function createEngineHttp({ url, token }: { url: string; token?: string | null | undefined }): EngineHttp {
  const base = url.replace(/\/+$/, '');
  const connect = { timeout: connectMilliseconds };
  const pooled = new Agent({ connect, connections: 8, keepAliveTimeout: 4_000 });
  // A submit gets a new connection: on one that was just closed, we could not tell whether the engine took the job.
  const fresh = new Agent({ connect, pipelining: 0 });
  const authorization = token ? { authorization: `Bearer ${token}` } : {};

  async function send(path: string, options: RequestOptions, dispatcher: Dispatcher, timeoutMilliseconds: number) {
    const contentType = options.body === undefined ? {} : { 'content-type': 'application/json' };
    return httpRequest(`${base}${path}`, {
      method: options.method ?? 'GET',
      headers: { ...contentType, ...options.headers, ...authorization },
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      dispatcher,
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
    });
  }

  async function exchange(path: string, options: RequestOptions, dispatcher: Dispatcher, defaultMilliseconds: number) {
    const timeoutMilliseconds = options.timeoutMilliseconds ?? defaultMilliseconds;
    // `bodyTimeout` limits the time between bytes, so only an overall limit ends a body that trickles in.
    const overall = AbortSignal.timeout(timeoutMilliseconds);
    const signal = options.signal ? AbortSignal.any([options.signal, overall]) : overall;
    const { statusCode, headers, body } = await send(path, { ...options, signal }, dispatcher, timeoutMilliseconds);
    const text = await readText(body);
    return { status: statusCode, json: parseJson(text), text, engineTime: parseDate(headers['date']) };
  }

  return {
    request: (path, options = {}) => exchange(path, options, pooled, requestMilliseconds),

    submit: (path, options) =>
      exchange(path, options, fresh, submitMilliseconds).catch((error: unknown) => {
        throw wasNeverConnected(error) ? new SubmitRefused('unreachable', { cause: error }) : error;
      }),

    async download(path) {
      const signal = AbortSignal.timeout(outputMilliseconds);
      const { statusCode, headers, body } = await send(path, { signal }, pooled, outputIdleMilliseconds);
      try {
        // 5xx and 429 may be temporary; any other status is final, because the engine called the job finished.
        const isTemporary = statusCode >= 500 || statusCode === 429;
        if (statusCode !== 200) throw isTemporary ? unexpected('a download', statusCode) : noOutput(statusCode);
        return limitStream(body, parseOutputSize(headers['content-length']));
      } catch (error) {
        body.on('error', () => undefined).destroy();
        throw error;
      }
    },

    close: async () => {
      await Promise.all([pooled.destroy(), fresh.destroy()]);
    },
  };
}

/** Returns the error for a status that an adapter cannot handle. */
export function unexpected(what: string, status: number): Error {
  return new Error(`the engine responded to ${what} with status ${status}`);
}

/** Returns the fields of JSON that must be an object; each field is checked where it is read. */
export function fieldsOf(json: unknown): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Error('the engine sent an unexpected response');
  }
  return json as Record<string, unknown>; // an object; what is in it stays unknown
}

function noOutput(status: number): OutputInvalid {
  return new OutputInvalid(`the engine has no output for a job that it called finished (status ${status})`);
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maximumResponseBytes) throw new Error('the engine sent a response that is too large'); // ends the body
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // callers that need JSON refuse null
  }
}

function parseDate(header: unknown): number | null {
  const milliseconds = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/** Returns the announced size; null if the engine sends in chunks and announces none. */
function parseOutputSize(header: unknown): number | null {
  if (header === undefined) return null;
  const sizeBytes = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0;
  if (sizeBytes < 1 || sizeBytes > maximumRawBytes) {
    throw new OutputInvalid('the engine announced an output that is empty or too large');
  }
  return sizeBytes;
}

/** Passes on exactly as many bytes as were announced; more or fewer is an error, never a shorter file. */
function limitStream(body: Readable, announcedBytes: number | null): Readable {
  const mostBytes = announcedBytes ?? maximumRawBytes;
  let passedBytes = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passedBytes += chunk.length;
      if (passedBytes > mostBytes) done(new OutputInvalid('the engine sent more than it announced or than is allowed'));
      else done(null, chunk);
    },
    flush(done) {
      const isShort = passedBytes < (announcedBytes ?? 1);
      done(isShort ? new Error('the engine sent less than it announced') : null);
    },
  });
  return pipeline(body, limited, () => undefined); // an error surfaces on the stream that is returned
}

const notConnectedCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether no connection was ever established, so that the engine cannot have received a byte. */
function wasNeverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(wasNeverConnected); // one error per address
  return error instanceof Error && 'code' in error && notConnectedCodes.has(String(error.code));
}
