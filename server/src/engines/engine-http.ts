import { pipeline, type Readable, Transform } from 'node:stream';
import { Agent, type Dispatcher, request as httpRequest } from 'undici';
import { maximumRawBytes } from '../domain/raw-output.ts';
import { OutputInvalid, SubmitRefused } from '../errors.ts';

interface AskOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | undefined;
  /** Sent as JSON, or as it is where `headers` name another content type. */
  body?: string | Buffer | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  timeoutMilliseconds?: number | undefined;
}

interface EngineResponse {
  status: number;
  /** Parsed JSON; null for what is not JSON. */
  answer: unknown;
  /** The body as it came, for what is no JSON by nature. */
  text: string;
}

/** How adapters talk to an engine: bounded in time and size, without redirects, and clear about what was never sent. */
export interface EngineHttp {
  /** One exchange with an answer of at most 1 MB. Throws when the engine cannot be reached or is too slow. */
  ask(path: string, options?: AskOptions): Promise<EngineResponse>;
  /** As `ask`, on a connection of its own: throws SubmitRefused when no connection ever stood. */
  submit(path: string, options: AskOptions): Promise<EngineResponse>;
  /** A file of at most 2 GB; throws OutputInvalid when the engine certainly has none. */
  download(path: string): Promise<Readable>;
  close(): Promise<void>;
}

const connectMilliseconds = 2_000;
const askMilliseconds = 5_000;
const submitMilliseconds = 10_000;
const outputIdleMilliseconds = 30_000;
const outputMilliseconds = 30 * 60_000;
const maximumResponseBytes = 1024 * 1024;

/** The URL and the token are the operator's; everything that comes back is the engine's. */
export function createEngineHttp({ url, token }: { url: string; token?: string | null | undefined }): EngineHttp {
  const base = url.replace(/\/+$/, '');
  const connect = { timeout: connectMilliseconds };
  const kept = new Agent({ connect, connections: 8, keepAliveTimeout: 4_000 });
  // A submit gets a connection of its own: on a kept one that the engine has closed meanwhile, the bytes would be
  // sent before we learn of it, and a certain refusal would become an uncertain one.
  const fresh = new Agent({ connect, pipelining: 0 });
  const authorization = token ? { authorization: `Bearer ${token}` } : {};

  async function send(path: string, options: AskOptions, dispatcher: Dispatcher, timeoutMilliseconds: number) {
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

  async function exchange(path: string, options: AskOptions, dispatcher: Dispatcher, defaultMilliseconds: number) {
    const timeoutMilliseconds = options.timeoutMilliseconds ?? defaultMilliseconds;
    // Over all: a body that trickles would keep the time-outs between its bytes from ever running out.
    const overall = AbortSignal.timeout(timeoutMilliseconds);
    const signal = options.signal ? AbortSignal.any([options.signal, overall]) : overall;
    const { statusCode, body } = await send(path, { ...options, signal }, dispatcher, timeoutMilliseconds);
    const text = await readText(body);
    return { status: statusCode, answer: parseJson(text), text };
  }

  return {
    ask: (path, options = {}) => exchange(path, options, kept, askMilliseconds),

    submit: (path, options) =>
      exchange(path, options, fresh, submitMilliseconds).catch((error: unknown) => {
        throw wasNeverConnected(error) ? new SubmitRefused('unreachable', { cause: error }) : error;
      }),

    async download(path) {
      const signal = AbortSignal.timeout(outputMilliseconds);
      const { statusCode, headers, body } = await send(path, { signal }, kept, outputIdleMilliseconds);
      try {
        // 5xx and 429 may pass; any other answer is the engine's last word on a job that it called finished.
        const mayPass = statusCode >= 500 || statusCode === 429;
        if (statusCode !== 200) throw mayPass ? unexpected('a download', statusCode) : noOutput(statusCode);
        return limitStream(body, parseOutputSize(headers['content-length']));
      } catch (error) {
        body.on('error', () => undefined).destroy();
        throw error;
      }
    },

    close: async () => {
      await Promise.all([kept.destroy(), fresh.destroy()]);
    },
  };
}

/** An answer that an adapter cannot go on with. */
export function unexpected(what: string, status: number): Error {
  return new Error(`the engine answered ${what} with status ${status}`);
}

/** The fields of an answer that must be an object; each field is checked where it is read. */
export function fieldsOf(answer: unknown): Record<string, unknown> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new Error('the engine sent an unexpected answer');
  }
  return answer as Record<string, unknown>; // an object; what is in it stays unknown
}

function noOutput(status: number): OutputInvalid {
  return new OutputInvalid(`the engine has no output for a job that it called finished (status ${status})`);
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maximumResponseBytes) throw new Error('the engine sent an answer that is too large'); // ends the body
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // what is not JSON is refused where an answer is needed
  }
}

/** The announced size; null where the engine sends in chunks without one. */
function parseOutputSize(header: unknown): number | null {
  if (header === undefined) return null;
  const sizeBytes = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0;
  if (sizeBytes < 1 || sizeBytes > maximumRawBytes) {
    throw new OutputInvalid('the engine announced an output that is empty or too large');
  }
  return sizeBytes;
}

/** Passes on exactly as many bytes as were announced; more or fewer is an error, never a short file. */
function limitStream(body: Readable, announcedBytes: number | null): Readable {
  const mostBytes = announcedBytes ?? maximumRawBytes;
  let passedBytes = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passedBytes += chunk.length;
      if (passedBytes > mostBytes) done(new OutputInvalid('the engine sent more than it may'));
      else done(null, chunk);
    },
    flush(done) {
      const isShort = passedBytes < (announcedBytes ?? 1);
      done(isShort ? new Error('the engine sent less than it announced') : null);
    },
  });
  return pipeline(body, limited, () => undefined); // an error shows on the stream we hand out
}

const notConnectedCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether no connection ever stood, so that the engine cannot have seen a byte. */
function wasNeverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(wasNeverConnected); // one error an address
  return error instanceof Error && 'code' in error && notConnectedCodes.has(String(error.code));
}
