import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A job as the engine saw it, by its own clock, in milliseconds since 1970. */
export interface StubJob {
  jobId: string;
  taskId: string;
  beganAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  /** `stopped`: a cancel came before its end. */
  end: 'succeeded' | 'rejected' | 'out-of-memory' | 'stopped' | 'killed' | null;
  /** It never makes a step. */
  isStalled: boolean;
  /** Its whole output was sent, or the word that there is none. */
  isDelivered: boolean;
}

/** An engine that speaks the private protocol of the built-in one and only lets time pass. */
export interface StubEngine {
  url: string;
  readonly slots: number;
  /** Every job it ever took, in the order they began. */
  jobs: readonly StubJob[];
  /** How long the jobs take that begin from now on. */
  jobMilliseconds: number;
  /** While false it says that it would take no job. */
  isReady: boolean;
  /** What becomes of the jobs that begin from now on. */
  fault: 'stall' | 'out-of-memory' | null;
  /** Refuses every connection and forgets every job, as a process that was killed; `revive` starts it again. */
  kill(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
}

interface StubOptions {
  slots: number;
  jobMilliseconds: number;
  /** The video for a prompt; null: it is rejected. */
  outputOf?: (prompt: string) => Buffer | null;
}

/** Memory runs out soon after the weights are loaded. */
const outOfMemoryMilliseconds = 50;

/**
 * Without `outputOf` every job ends as `output_rejected`, which ends its task at once: a proof about the order of tasks must
 * not wait for the encoding of their videos. The slot was taken for the whole length of the job all the same.
 */
export async function startStubEngine(options: StubOptions): Promise<StubEngine> {
  const known = new Map<string, KnownJob>();
  const jobs: StubJob[] = [];
  const startedAt = new Date().toISOString();

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
    const timer = job.isStalled ? null : setTimeout(() => end(job, ending), milliseconds);
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

  const answer = (request: IncomingMessage, response: ServerResponse, input: string): void => {
    const say = (status: number, body: object): void => {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    };
    const path = request.url ?? '/';
    const [, jobId, isOutput] = /^\/jobs\/([^/]+)(\/output)?$/.exec(path) ?? [];
    if (path === '/healthz') return say(engine.isReady ? 200 : 503, { status: engine.isReady ? 'ok' : 'closed' });
    if (path === '/') return say(200, { engine: 'stub', version: '1', slots: engine.slots, startedAt });
    if (jobId === undefined) return say(404, { error: 'unknown_job' });
    if (request.method === 'PUT') {
      const status = submit(jobId, input);
      return say(status, status < 300 ? { outcome: 'accepted' } : { error: 'busy' });
    }
    if (request.method === 'DELETE') {
      remove(jobId);
      return say(200, { outcome: 'stopped' });
    }
    const entry = known.get(jobId);
    if (!entry) return say(404, { error: 'unknown_job' });
    if (isOutput) return sendOutput(response, entry);
    say(200, stateOf(entry));
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  server.keepAliveTimeout = 60_000;
  const listen = (on: number): Promise<void> => new Promise((resolve) => server.listen(on, '127.0.0.1', resolve));
  const hangUp = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const engine: StubEngine = {
    url: `http://127.0.0.1:${port}`,
    slots: options.slots,
    jobs,
    jobMilliseconds: options.jobMilliseconds,
    isReady: true,
    fault: null,
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
  return { state: 'failed', progress: 100, code, reason: 'the stub does as it was told' };
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
