import type { Readable } from 'node:stream';
import { pipeline, Transform } from 'node:stream';
import { Agent, type Dispatcher, request as httpRequest } from 'undici';
import { InputRejected, SubmitRefused } from '../../errors.ts';
import type { Engine, EngineOperation } from '../engine.ts';
import { parseCancel, parseDescription, parseJobState, parseOutputSize } from './engine-answers.ts';

interface HttpOptions {
  method?: 'GET' | 'PUT' | 'DELETE';
  body?: string;
  signal?: AbortSignal;
  dispatcher?: Dispatcher;
  timeoutMilliseconds: number;
}

const connectMilliseconds = 2_000;
const submitMilliseconds = 10_000;
const pollMilliseconds = 5_000;
/** A cancel is answered when the processes are gone, which takes well below a second. */
const cancelMilliseconds = 10_000;
const outputIdleMilliseconds = 30_000;
const outputMilliseconds = 30 * 60_000;
const maximumAnswerBytes = 64 * 1024;
const maximumOutputBytes = 2 * 1024 ** 3;

/** Reaches an animatic engine process by its private HTTP; the URL is the operator's. */
export function createAnimaticEngine(options: { url: string }): Engine {
  const base = options.url.replace(/\/+$/, '');
  const connect = { timeout: connectMilliseconds };
  const kept = new Agent({ connect, connections: 8, keepAliveTimeout: 4_000 });
  // A submit gets a connection of its own: on a kept one that the engine has closed meanwhile, the bytes would be
  // sent before we learn of it, and a certain refusal would become an uncertain one.
  const fresh = new Agent({ connect, pipelining: 0 });

  async function send(path: string, { dispatcher = kept, timeoutMilliseconds, ...rest }: HttpOptions) {
    return httpRequest(`${base}${path}`, {
      ...rest,
      dispatcher,
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
      ...(rest.body === undefined ? {} : { headers: { 'content-type': 'application/json' } }),
    });
  }

  async function ask(path: string, options: HttpOptions): Promise<{ status: number; answer: unknown }> {
    const overall = AbortSignal.timeout(options.timeoutMilliseconds);
    const signal = options.signal ? AbortSignal.any([options.signal, overall]) : overall;
    const { statusCode, body } = await send(path, { ...options, signal });
    return { status: statusCode, answer: await readJson(body) };
  }

  async function remove(operation: EngineOperation): Promise<'stopped'> {
    const { status, answer } = await ask(jobPath(operation), {
      method: 'DELETE',
      timeoutMilliseconds: cancelMilliseconds,
    });
    if (status !== 200) throw unexpected('a cancel', status);
    return parseCancel(answer);
  }

  return {
    async describe() {
      const { status, answer } = await ask('/', { timeoutMilliseconds: pollMilliseconds });
      if (status !== 200) throw unexpected('a description', status);
      return parseDescription(answer);
    },

    operationFor: (jobId) => ({ jobId }),

    async submit({ jobId, image, ...rest }, signal) {
      const operation = { jobId };
      const body = JSON.stringify({ ...rest, image: image && Buffer.from(image).toString('base64') });
      const { status } = await ask(jobPath(operation), {
        method: 'PUT',
        body,
        signal,
        dispatcher: fresh,
        timeoutMilliseconds: submitMilliseconds,
      }).catch((error: unknown) => {
        throw wasNeverConnected(error) ? new SubmitRefused('unreachable', { cause: error }) : error;
      });
      if (status === 200 || status === 201) return operation;
      if (status === 409) throw new SubmitRefused('busy');
      if (status === 400 || status === 413) throw new InputRejected('the engine cannot render this input');
      throw unexpected('a submit', status);
    },

    async poll(operation) {
      const { status, answer } = await ask(jobPath(operation), { timeoutMilliseconds: pollMilliseconds });
      if (status === 404) return { state: 'lost' };
      if (status !== 200) throw unexpected('a poll', status);
      return parseJobState(answer);
    },

    async fetchOutput(operation) {
      const path = `${jobPath(operation)}/output`;
      const { statusCode, headers, body } = await send(path, {
        signal: AbortSignal.timeout(outputMilliseconds),
        timeoutMilliseconds: outputIdleMilliseconds,
      });
      try {
        if (statusCode !== 200) throw unexpected('a fetch of the output', statusCode);
        return limitStream(body, parseOutputSize(headers['content-length'], maximumOutputBytes));
      } catch (error) {
        body.on('error', () => undefined).destroy();
        throw error;
      }
    },

    cancel: remove,

    async discard(operation) {
      await remove(operation);
    },

    async isHealthy() {
      const { status } = await ask('/healthz', { timeoutMilliseconds: pollMilliseconds });
      return status === 200;
    },
  };
}

function jobPath(operation: EngineOperation): string {
  const jobId = operation['jobId'];
  if (typeof jobId !== 'string' || jobId === '') throw new Error('the operation names no job');
  return `/jobs/${encodeURIComponent(jobId)}`;
}

async function readJson(body: Readable): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maximumAnswerBytes) throw new Error('the engine sent an answer that is too large'); // ends the body
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null; // what is not JSON is refused where an answer is needed
  }
}

/** Passes on exactly as many bytes as were announced; more or fewer is an error, never a short file. */
function limitStream(body: Readable, sizeBytes: number): Readable {
  let passedBytes = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passedBytes += chunk.length;
      if (passedBytes > sizeBytes) done(new Error('the engine sent more than it announced'));
      else done(null, chunk);
    },
    flush(done) {
      done(passedBytes < sizeBytes ? new Error('the engine sent less than it announced') : null);
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

function unexpected(what: string, status: number): Error {
  return new Error(`the engine answered ${what} with status ${status}`);
}
