import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A job as the engine recorded it. Times are from its own clock, in milliseconds since 1970. */
export interface StubJob {
  jobId: string;
  taskId: string;
  beganAt: number;
  /** Null while the job runs. */
  endedAt: number | null;
  /** How the job ended; `stopped` means that it was cancelled. Null while it runs. */
  end: 'succeeded' | 'rejected' | 'out-of-memory' | 'stopped' | 'killed' | null;
  /** The job never makes progress. */
  isStalled: boolean;
  /** The engine has sent the whole output, or the rejection. */
  isDelivered: boolean;
}

/** An engine that implements the private protocol of the built-in one; its jobs compute nothing and only take time. */
export interface StubEngine {
  url: string;
  readonly slots: number;
  /** Every job that the engine ever accepted, in the order in which they began. */
  jobs: readonly StubJob[];
  /** How long each job takes that begins from now on. */
  jobMilliseconds: number;
  /** While false, the health check fails, as if the engine could accept no job. */
  isReady: boolean;
  /** The fault of the jobs that begin from now on; null for none. */
  fault: 'stall' | 'out-of-memory' | null;
  /** From now on no job ends until `release`, so that a test decides when slots become free. */
  hold(): void;
  release(): void;
  /** Refuses every connection and forgets every job, like a process that was killed. `revive` restarts the engine. */
  kill(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
}

interface StubOptions {
  slots: number;
  jobMilliseconds: number;
  /** Returns the video for a prompt; null if the job is to be rejected. */
  outputOf?: (prompt: string) => Buffer | null;
}

/** Memory runs out soon after the weights are loaded. */
const outOfMemoryMilliseconds = 50;

/** Without `outputOf` jobs end as `output_rejected` after their time, so that their tasks end without encoding. */
export async function startStubEngine(options: StubOptions): Promise<StubEngine> {
  const known = new Map<string, KnownJob>();
  const jobs: StubJob[] = [];
  const startedAt = new Date().toISOString();
  /** The jobs whose time is over but that are held; null while none are held. */
  let held: (() => void)[] | null = null;

  const submit = (jobId: string, input: string): number => {
    if (known.has(jobId)) return 200;
    const running = [...known.values()].filter(({ job }) => job.endedAt === null).length;
    if (running >= engine.slots) return 409;
    const output = options.outputOf?.(promptOf(input)) ?? null;
    const { fault, jobMilliseconds } = engine;
    const job: StubJob = {
      jobId,
      taskId: jobId.slice(0, jobId.lastIndexOf('-')),
      beganAt: Date.now(),
      endedAt: null,
      end: null,
      isStalled: fault === 'stall',
      isDelivered: false,
    };
    const isOutOfMemory = fault === 'out-of-memory';
    const ending = isOutOfMemory ? 'out-of-memory' : output ? 'succeeded' : 'rejected';
    const milliseconds = isOutOfMemory ? outOfMemoryMilliseconds : jobMilliseconds;
    const timer = job.isStalled
      ? null
      : setTimeout(() => (held ? held.push(() => end(job, ending)) : end(job, ending)), milliseconds);
    known.set(jobId, { job, timer, output, milliseconds });
    jobs.push(job);
    return 201;
  };
  const end = (job: StubJob, how: StubJob['end']): void => {
    job.endedAt ??= Date.now();
    job.end ??= how;
  };
  const remove = (jobId: string, how: 'stopped' | 'killed' = 'stopped'): void => {
    const entry = known.get(jobId);
    if (!entry) return;
    if (entry.timer) clearTimeout(entry.timer);
    end(entry.job, how);
    known.delete(jobId);
  };

  const respond = (request: IncomingMessage, response: ServerResponse, input: string): void => {
    const send = (status: number, body: object): void => {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    };
    const path = request.url ?? '/';
    const [, jobId, isOutput] = /^\/jobs\/([^/]+)(\/output)?$/.exec(path) ?? [];
    if (path === '/healthz') return send(engine.isReady ? 200 : 503, { status: engine.isReady ? 'ok' : 'closed' });
    if (path === '/') return send(200, { engine: 'stub', version: '1', slots: engine.slots, startedAt });
    if (jobId === undefined) return send(404, { error: 'unknown_job' });
    if (request.method === 'PUT') {
      const status = submit(jobId, input);
      return send(status, status < 300 ? { outcome: 'accepted' } : { error: 'busy' });
    }
    if (request.method === 'DELETE') {
      remove(jobId);
      return send(200, { outcome: 'stopped' });
    }
    const entry = known.get(jobId);
    if (!entry) return send(404, { error: 'unknown_job' });
    if (isOutput) return sendOutput(response, entry);
    send(200, stateOf(entry));
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  server.keepAliveTimeout = 60_000;
  const listen = (on: number): Promise<void> => new Promise((resolve) => server.listen(on, '127.0.0.1', resolve));
  const hangUp = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const engine: StubEngine = {
    url: `http://127.0.0.1:${port}`,
    slots: options.slots,
    jobs,
    jobMilliseconds: options.jobMilliseconds,
    isReady: true,
    fault: null,
    hold: () => {
      held ??= [];
    },
    release: () => {
      for (const endJob of held ?? []) endJob();
      held = null;
    },
    kill: async () => {
      await hangUp();
      for (const jobId of known.keys()) remove(jobId, 'killed');
    },
    revive: () => listen(port),
    close: async () => {
      for (const { timer } of known.values()) if (timer) clearTimeout(timer);
      if (server.listening) await hangUp();
    },
  };
  return engine;
}

interface KnownJob {
  job: StubJob;
  timer: NodeJS.Timeout | null;
  output: Buffer | null;
  milliseconds: number;
}

function promptOf(input: string): string {
  return (JSON.parse(input) as { prompt: string }).prompt; // written by the adapter for the built-in engine
}

function stateOf({ job, milliseconds }: KnownJob): object {
  if (job.endedAt === null) {
    const progress = job.isStalled ? 0 : Math.min(99, Math.floor((100 * (Date.now() - job.beganAt)) / milliseconds));
    return { state: 'running', progress };
  }
  if (job.end === 'succeeded') return { state: 'succeeded', progress: 100 };
  job.isDelivered = job.end === 'rejected';
  const code = job.end === 'rejected' ? 'output_rejected' : 'engine_out_of_memory';
  return { state: 'failed', progress: 100, code, reason: 'the stub engine was told to fail this job' };
}

function sendOutput(response: ServerResponse, { job, output }: KnownJob): void {
  if (job.end !== 'succeeded' || !output) {
    response.writeHead(409).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': output.length });
  response.end(output, () => {
    job.isDelivered = true;
  });
}
