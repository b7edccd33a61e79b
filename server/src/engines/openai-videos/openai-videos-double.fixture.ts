import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import type { OpenAiVideosDialectName } from './openai-videos-dialect.ts';

/** Faults of servers of this family; each was observed, or found in the source code or the issues of a server. */
interface Faults {
  /** How jobs fail that are submitted from now on. `stuck`: out of memory, but `in_progress` without end. */
  ending: 'out-of-memory' | 'crash' | 'stuck' | null;
  /** vLLM-Omni with a pipeline that cannot stop: after a DELETE it has forgotten the job but computes it to its end. */
  computesOnAfterDelete: boolean;
  /** vLLM-Omni: the number of DELETEs that get a 409 while it cancels. */
  conflicts: number;
  /** vLLM-Omni without `--log-stats`: the gauges exist but are always 0. */
  countsNothing: boolean;
  /** SGLang whose scheduler was killed. */
  isDead: boolean;
  /** How far the server's clock is ahead of ours. */
  clockOffsetSeconds: number;
}

interface Job {
  id: string;
  status: 'queued' | 'in_progress' | 'completed' | 'failed';
  createdAt: number;
  fields: Record<string, unknown>;
  steps: number;
  isAborted: boolean;
  error: string | null;
}

type DoubleResponse = { status: number; body: unknown } | { status: 200; bytes: Buffer; type: string };

export interface OpenAiVideosDouble {
  url: string;
  faults: Faults;
  /** The submitted fields as the server parsed them, with an image as the number of its bytes. */
  submitted: Record<string, unknown>[];
  /** The ids of jobs that were deleted before they had ended. */
  deletedUnfinished: string[];
  /** Returns how many jobs are computed right now, known or forgotten. */
  computing(): number;
  /** Forgets all jobs, as a restart does. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

let video: Promise<Buffer> | undefined;
const servedModel = 'tiny-wan';
const stepMilliseconds = 20;
/** A real server takes longer to restart than its clients to notice that it is down. */
const bootMilliseconds = 50;

/** A double of a server with one GPU that renders nothing; it has the engine's responses, order and faults. */
export async function startOpenAiVideosDouble(dialect: OpenAiVideosDialectName): Promise<OpenAiVideosDouble> {
  video ??= makeVideo();
  const file = await video;
  const faults: Faults = {
    ending: null,
    computesOnAfterDelete: false,
    conflicts: 0,
    countsNothing: false,
    isDead: false,
    clockOffsetSeconds: 0,
  };
  const submitted: Record<string, unknown>[] = [];
  const deletedUnfinished: string[] = [];
  let jobs = new Map<string, Job>();
  let running = new Set<Job>();
  let waiting: Job[] = [];

  const now = (): Date => new Date(Date.now() + faults.clockOffsetSeconds * 1000);

  /** Starts the next job: one at a time, in order. FastVideo runs a thread for each job instead. */
  function startNext(): void {
    if (dialect !== 'fastvideo' && running.size > 0) return;
    const job = waiting.shift();
    if (!job) return;
    const ending = faults.ending;
    if (dialect !== 'fastvideo') job.status = 'in_progress';
    running.add(job);
    let step = 0;
    const timer = setInterval(() => {
      if (!running.has(job)) return clearInterval(timer); // the server was stopped
      step += 1;
      if (ending === 'stuck' && !job.isAborted) return;
      if (step < job.steps && !(job.isAborted && !faults.computesOnAfterDelete)) return;
      clearInterval(timer);
      running.delete(job);
      job.status = ending ? 'failed' : 'completed';
      if (ending === 'out-of-memory') job.error = 'CUDA out of memory. Tried to allocate 2.00 GiB.';
      if (ending === 'crash') job.error = 'Scheduler worker exited; restart the server.';
      startNext();
    }, stepMilliseconds);
  }

  function describeJob(job: Job): Record<string, unknown> {
    return {
      id: job.id,
      object: 'video',
      model: servedModel,
      status: job.status,
      progress: job.status === 'completed' ? 100 : 0,
      created_at: job.createdAt,
      // FastVideo repeats neither, and SGLang only the size.
      ...(dialect === 'fastvideo' ? {} : { size: job.fields['size'] }),
      ...(dialect === 'vllm-omni' ? { prompt: job.fields['prompt'], seconds: '4' } : {}),
      url: job.status === 'completed' ? 'http://192.0.2.1/elsewhere.mp4' : null, // the adapter must never fetch this
      error: job.error === null ? null : { code: 500, message: job.error },
    };
  }

  async function create(incoming: IncomingMessage): Promise<DoubleResponse> {
    const fields = await readFields(incoming);
    if (faults.isDead) return { status: 503, body: { error: 'Scheduler worker exited; restart the server.' } };
    if (fields === null)
      return { status: dialect === 'vllm-omni' ? 422 : 400, body: { detail: 'Invalid request body' } };
    const isForm = String(incoming.headers['content-type']).startsWith('multipart/');
    if (dialect === 'vllm-omni' && !isForm) return { status: 422, body: { detail: [{ msg: 'Field required' }] } };
    if (typeof fields['prompt'] !== 'string') return { status: 400, body: { detail: 'prompt is required' } };
    if (dialect === 'vllm-omni' && (fields['model'] ?? servedModel) !== servedModel) {
      return { status: 400, body: { detail: 'Model mismatch' } };
    }
    submitted.push(fields);
    const job: Job = {
      id: dialect === 'sglang' ? randomUUID() : `video_gen_${randomUUID().replaceAll('-', '')}`,
      status: 'queued',
      createdAt: Math.floor(now().getTime() / 1000),
      fields,
      steps: Number(fields['num_inference_steps'] ?? 3),
      isAborted: false,
      error: null,
    };
    jobs.set(job.id, job);
    waiting.push(job);
    const created = describeJob(job);
    startNext();
    return { status: 200, body: created };
  }

  function remove(job: Job): DoubleResponse {
    const isUnfinished = job.status === 'queued' || job.status === 'in_progress';
    if (isUnfinished && faults.conflicts > 0) {
      faults.conflicts -= 1;
      return { status: 409, body: { detail: 'Cancellation in progress. Please try again later.' } };
    }
    if (isUnfinished) {
      deletedUnfinished.push(job.id);
      job.isAborted = dialect === 'vllm-omni';
      if (job.isAborted) waiting = waiting.filter((other) => other !== job);
    }
    jobs.delete(job.id);
    return { status: 200, body: { ...describeJob(job), status: 'deleted' } };
  }

  function responseForJob(method: string, id: string, isContent: boolean): DoubleResponse {
    const job = jobs.get(id);
    if (!job) return { status: 404, body: { detail: 'Video not found' } };
    if (method === 'DELETE') return remove(job);
    if (!isContent) {
      const isFailure = dialect === 'vllm-omni' && job.status === 'failed';
      return { status: isFailure ? 500 : 200, body: describeJob(job) };
    }
    if (job.status === 'completed') return { status: 200, bytes: file, type: 'video/mp4' };
    return { status: 404, body: { detail: 'Generation is still in-progress' } };
  }

  function respondOther(path: string): DoubleResponse {
    switch (path) {
      case '/health':
        return { status: faults.isDead ? 503 : 200, body: { status: faults.isDead ? 'unhealthy' : 'ok' } };
      case '/v1/models': {
        const ownedBy = dialect === 'vllm-omni' ? 'vllm' : dialect;
        return {
          status: 200,
          body: { object: 'list', data: [{ id: servedModel, object: 'model', owned_by: ownedBy }] },
        };
      }
      case '/v1/videos': {
        const data = [...jobs.values()].toSorted((a, b) => b.createdAt - a.createdAt).map(describeJob);
        return { status: 200, body: { object: 'list', data, has_more: false } };
      }
      case '/server_info':
      case '/version':
        if (dialect !== 'fastvideo') return { status: 200, body: { version: '0.0-double' } };
        break;
      case '/metrics':
        if (dialect === 'vllm-omni') return { status: 200, bytes: Buffer.from(metrics()), type: 'text/plain' };
        break;
    }
    return { status: 404, body: { detail: 'Not Found' } };
  }

  function metrics(): string {
    const [runs, waits] = faults.countsNothing ? [0, 0] : [running.size, waiting.length];
    return [
      '# HELP vllm_omni:num_requests_running Number of requests currently running across all pipeline stages.',
      '# TYPE vllm_omni:num_requests_running gauge',
      `vllm_omni:num_requests_running{model_name="${servedModel}"} ${runs}.0`,
      `vllm_omni:num_requests_waiting{model_name="${servedModel}"} ${waits}.0`,
      'process_open_fds 41.0',
      '',
    ].join('\n');
  }

  async function respond(incoming: IncomingMessage): Promise<DoubleResponse> {
    const { pathname } = new URL(incoming.url ?? '/', 'http://double');
    if (incoming.method === 'POST' && pathname === '/v1/videos') return create(incoming);
    const [, id, content] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(pathname) ?? [];
    return id === undefined ? respondOther(pathname) : responseForJob(incoming.method ?? '', id, content !== undefined);
  }

  const listen = async (port: number): Promise<Server> => {
    const server = createServer((incoming, reply) => {
      void respond(incoming).then((given) => {
        const body = 'bytes' in given ? given.bytes : JSON.stringify(given.body);
        const type = 'bytes' in given ? given.type : 'application/json';
        reply.writeHead(given.status, { 'content-type': type, date: now().toUTCString() }).end(body);
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const stop = async (): Promise<void> => {
    running = new Set();
    waiting = [];
    jobs = new Map();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };

  let server = await listen(0);
  const { port } = server.address() as AddressInfo; // listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    submitted,
    deletedUnfinished,
    computing: () => running.size,
    async restart() {
      await stop();
      // oxlint-disable-next-line kinora/no-fixed-sleep -- how long this double takes to start; nothing is judged by it
      await pause(bootMilliseconds);
      server = await listen(port);
    },
    close: stop,
  };
}

/** Reads the fields of JSON or of a form, as these servers do; returns null if the body is neither. */
async function readFields(incoming: IncomingMessage): Promise<Record<string, unknown> | null> {
  const bytes = await buffer(incoming);
  const type = String(incoming.headers['content-type']);
  try {
    if (!type.startsWith('multipart/')) return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>; // our own
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
    const entries = [...form.entries()].map(([name, value]) => [name, typeof value === 'string' ? value : value.size]);
    return Object.fromEntries(entries) as Record<string, unknown>; // names and values of a form
  } catch {
    return null;
  }
}

/** Makes a small video with frames that decode. */
async function makeVideo(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'openai-videos-double-'));
  try {
    await debianFfmpeg('-f lavfi -i testsrc=size=64x64:rate=16 -frames:v 17 -pix_fmt yuv420p video.mp4', folder);
    return await readFile(join(folder, 'video.mp4'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
