import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { makeCalls } from './cog-callbacks.ts';
import { acceptSocket, sendFrames } from './comfyui-frames.ts';
import { type EngineClock, realClock } from './engine-clock.ts';
import { type EngineJob, type EngineState, runTime, stateOf } from './engine-job.ts';
import type { Exchange, Speak, Surroundings } from './exchange.ts';
import { type Case, caseNumberIn, liesAfterEnd, mutationFor } from './hostile-case.ts';
import type { EngineResponse, Operation, Protocol, Scene, Writer } from './mutation.ts';

export interface HostileServer {
  /** Returns the address of an endpoint. */
  urlOf: (protocol: Protocol, index: number) => string;
  /** How many mutated responses each case got, by its number. */
  mutated: ReadonlyMap<number, number>;
  sentBytes: () => number;
  /** Returns how many responses of all cases were honest. */
  honestResponses(): number;
  /** Resolves when the engine accepts the first job of a case. */
  taken(case_: Case): Promise<void>;
  /** Notes that the task of a case has ended: its engine is honest from now on, so that its slot becomes free. */
  settle(case_: Case): void;
  close(): Promise<void>;
}

interface Parts {
  cases: readonly Case[];
  speak: Readonly<Record<Protocol, Speak>>;
  videoOf: (case_: Case) => Buffer;
  /** Returns a valid video of another colour. */
  otherVideoOf: (case_: Case) => Buffer;
  canaryUrl: string;
  /** Returns the case of an engine that serves only one; otherwise an upload counts for the next case that needs one. */
  caseOfEngine?: (name: string) => Case | undefined;
  /** Makes the clock of an engine; by default all have the real time. */
  clockOfEngine?: () => EngineClock;
}

const unknownJobId = 'c1e0ba3e-0000-4000-8000-000000000000';

/** Starts the engines of all pools behind one port, honest except for the responses that a job's case mutates. */
export async function startHostileServer(parts: Parts): Promise<HostileServer> {
  const { cases, speak, videoOf, otherVideoOf, canaryUrl, caseOfEngine, clockOfEngine = () => realClock } = parts;
  const byNumber = new Map(cases.map((case_) => [case_.number, case_]));
  const engines = new Map<string, EngineState>();
  const settled = new Set<number>();
  const mutated = new Map<number, number>();
  const taken = new Map(cases.map(({ number }) => [number, Promise.withResolvers<void>()]));
  const sockets = new Set<Socket>();
  let honestResponses = 0;
  let sentBytes = 0;

  const engineNamed = (name: string): EngineState | null => {
    const known = engines.get(name);
    if (known) return known;
    const protocol = name.replace(/-\d+$/, '') as Protocol; // An unknown one is refused in the next line.
    if (!speak[protocol]) return null;
    const made: EngineState = { name, protocol, clock: clockOfEngine(), jobs: new Map(), sockets: new Set() };
    engines.set(name, made);
    return made;
  };

  const surroundings: Surroundings = {
    take(engine, id, body, webhook) {
      const case_ = byNumber.get(caseNumberIn(body.toString('latin1')) ?? -1);
      if (!case_) return null;
      const job = newJob(engine, id, case_, webhook);
      engine.jobs.set(id, job);
      taken.get(case_.number)?.resolve();
      return job;
    },
    videoOf: (job) => videoOf(job.case),
    uploadCase(engine) {
      const isNext = (case_: Case) => case_.protocol === engine.protocol && case_.hasImage && countOf(case_) === 0;
      const case_ = caseOfEngine ? caseOfEngine(engine.name) : cases.find(isNext);
      return case_ ? newJob(engine, '', case_, null) : null;
    },
  };

  const countOf = (case_: Case): number => mutated.get(case_.number) ?? 0;

  const otherJob = (job: EngineJob, { protocol }: EngineState): EngineJob | null => {
    const known = [...engines.values()].filter((engine) => engine.protocol === protocol);
    const others = known.flatMap(({ jobs }) => [...jobs.values()]).filter((other) => other.case !== job.case);
    return others.find((other) => stateOf(other).state === 'running') ?? others[0] ?? null;
  };

  /** Starts what an engine sends on its own once it has a job: callbacks and frames. */
  function begin(job: EngineJob, engine: EngineState): void {
    const other = otherJob(job, engine);
    if (engine.protocol === 'cog') {
      const scene = {
        job: { ...job, runMilliseconds: runTime(job) },
        other,
        video: videoOf(job.case),
        otherVideo: otherVideoOf(job.case),
        canaryUrl,
      };
      const count = countOf(job.case);
      const made = mutationFor(job.case, 'callback', count)?.calls?.(scene).length ?? 0;
      mutated.set(job.case.number, count + made);
      void makeCalls(job, scene, count);
    }
    if (engine.protocol === 'comfyui') {
      sendFrames(job, engine.sockets, () => {
        const lies =
          mutationFor(job.case, 'frames', 0)?.frames?.({
            promptId: job.id,
            otherPromptId: other?.id ?? unknownJobId,
          }) ?? [];
        if (engine.sockets.size > 0) mutated.set(job.case.number, countOf(job.case) + lies.length);
        return lies;
      });
    }
  }

  function spoiled({ honest, operation, job }: Exchange, engine: EngineState): EngineResponse | Writer {
    if (!job || !operation) return honest;
    const count = countOf(job.case);
    const mutation = settled.has(job.case.number) ? null : mutationFor(job.case, operation, count);
    if (!mutation) {
      honestResponses += 1;
      return honest;
    }
    const isOver = stateOf(job).state !== 'running';
    const otherJobId = otherJob(job, engine)?.id ?? unknownJobId;
    const scene: Scene = { operation, jobId: job.id, otherJobId, isOver, count, canaryUrl, video: videoOf(job.case) };
    const mutatedResponse = mutation.spoil(honest, scene);
    if (mutatedResponse === honest) return honest; // The mutation lies only at some moments.
    mutated.set(job.case.number, count + 1);
    job.liedAt ??= job.clock.now();
    if (isRefusal(operation, mutatedResponse)) engine.jobs.delete(job.id);
    return mutatedResponse;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = await request.toArray();
    const url = new URL(request.url ?? '/', 'http://engine');
    const [, name = '', path = '/'] = /^\/([a-z-]+-\d+)(\/.*)?$/.exec(url.pathname) ?? [];
    const engine = engineNamed(name);
    if (!engine) return send(response, { status: 404, headers: {}, body: Buffer.from('no such engine') });
    engine.clock.noteRequest();
    const contentType = request.headers['content-type'] ?? '';
    const engineRequest = {
      method: request.method ?? 'GET',
      path,
      query: url.searchParams,
      contentType,
      body: Buffer.concat(chunks),
    };
    const exchange = speak[engine.protocol](engineRequest, engine, surroundings);
    const reply = spoiled(exchange, engine);
    const { job } = exchange;
    if (job && exchange.operation === 'submit' && engine.jobs.has(job.id)) begin(job, engine);
    if (typeof reply === 'function') reply(response);
    else send(response, reply);
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    respond(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    const engine = engineNamed(/^\/([a-z-]+-\d+)\/ws/.exec(request.url ?? '')?.[1] ?? '');
    if (!engine) return socket.destroy();
    engine.sockets.add(socket);
    socket.on('data', () => undefined).on('close', () => engine.sockets.delete(socket));
    acceptSocket(request, socket);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        sockets.delete(socket);
        sentBytes += socket.bytesWritten;
      });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.

  return {
    urlOf: (protocol, index) => `http://127.0.0.1:${port}/${protocol}-${index}`,
    mutated,
    sentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, sentBytes),
    honestResponses: () => honestResponses,
    taken: async ({ number }) => taken.get(number)?.promise,
    settle: (case_) => {
      if (!liesAfterEnd(case_)) settled.add(case_.number);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function newJob({ clock }: EngineState, id: string, case_: Case, webhook: string | null): EngineJob {
  const times = { clock, startedAt: clock.now(), createdAt: Date.now(), liedAt: null };
  return { id, case: case_, ...times, webhook, isCancelled: false };
}

/** Returns whether a response refuses a job. With any other response the engine has accepted it. */
function isRefusal(operation: Operation, response: EngineResponse | Writer): boolean {
  return operation === 'submit' && typeof response !== 'function' && response.status >= 400 && response.status < 500;
}

function send(response: ServerResponse, { status, headers, body }: EngineResponse): void {
  response.writeHead(status, { ...headers, ...(status === 204 ? {} : { 'content-length': body.length }) });
  response.end(body);
}
