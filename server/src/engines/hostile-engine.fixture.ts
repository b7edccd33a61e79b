import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createBox } from '@kinora/boxes/box';
import { smallestShape } from '@kinora/stack/harness/models-file';
import { imageBytes } from '@kinora/stack/harness/sample-image';
import { colours, makeVideo } from '@kinora/stack/harness/sample-videos';
import { startCanary } from '../../../proofs/hostile-engine/canary.ts';
import { comfyTemplate } from '../../../proofs/hostile-engine/comfyui-protocol.ts';
import { createRequestClock } from '../../../proofs/hostile-engine/engine-clock.ts';
import { type Case, promptOf } from '../../../proofs/hostile-engine/hostile-case.ts';
import { startHostileServer } from '../../../proofs/hostile-engine/hostile-server.ts';
import type { End, Protocol } from '../../../proofs/hostile-engine/mutation.ts';
import { servedModel } from '../../../proofs/hostile-engine/openai-videos-protocol.ts';
import { speak } from '../../../proofs/hostile-engine/speak.ts';
import { openOutput } from '../activities/store-raw.ts';
import { type WatchDependencies, watchJob } from '../activities/watch-job.ts';
import { createPrivateApp } from '../api/private-app.ts';
import type { EngineReport } from '../db/attempts/engine-report-table.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { type Clock, systemClock } from '../domain/clock.ts';
import { createConcurrencyLimit } from '../domain/concurrency-limit.ts';
import { maximumAttempts, maximumRefusalsInARow } from '../domain/failure.ts';
import { strayId } from '../domain/id.fixture.ts';
import { rawKey } from '../domain/object-key.ts';
import { InputRejected, OutputInvalid, SubmitRefused } from '../errors.ts';
import { createVideo } from '../media/video.ts';
import { createEngineCallbackTokens } from '../operations/attempts/engine-callback-tokens.ts';
import { handleEngineCallback } from '../operations/attempts/handle-engine-callback.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { strictPolicy } from '../outbound/outbound-policy.fixture.ts';
import { wireEngineReports } from '../wiring/wire-engine-reports.ts';
import { readCogCallback } from './cog/cog-callback.ts';
import { createCogEngine } from './cog/cog-engine.ts';
import { insist } from './comfyui/comfyui-template.fixture.ts';
import { createEngine, type EngineKind } from './create-engine.ts';
import type { Engine, EngineOperation, RenderRequest } from './engine.ts';
import { fetchNamedOutput } from './fetch-named-output.ts';

/** How the task of a case ended, and what was wrong on the way. */
export interface HostileOutcome {
  end: End;
  objections: string[];
}

/** How an attempt ended: the engine certainly refused the job, or as a task may end. */
type AttemptEnd = End | 'refused';

const textToVideo = insist(comfyTemplate(false));
const imageToVideo = insist(comfyTemplate(true));
export const kindOf: Record<Protocol, EngineKind> = {
  animatic: { engine: 'animatic' },
  cog: { engine: 'cog', inputs: {} },
  sglang: { engine: 'openai-videos', dialect: 'sglang', model: servedModel },
  'vllm-omni': { engine: 'openai-videos', dialect: 'vllm-omni', model: servedModel },
  fastvideo: { engine: 'openai-videos', dialect: 'fastvideo', model: servedModel },
  comfyui: { engine: 'comfyui', templates: { textToVideo, imageToVideo } },
};
/** By how much an engine's clock moves with each request: an honest job ends after two polls, a watched one after seven. */
const requestMilliseconds = 400;
/** By how much our clock moves whenever the watch over a job reads it. Ten polls without a usable response are a minute. */
const stepMilliseconds = 6_500;
/** The same for an engine that does not respond, because each poll of it takes its whole time limit. */
const slowStepMilliseconds = 31_000;
/** The same for the adapter of Cog, to which an idle server has lost a job after 10 s: here after fifty polls. */
const cogStepMilliseconds = 200;
/** The longest that the service allows, so that only an engine that never ends a job meets it. */
const attemptLimitSeconds = 7_200;
const listTries = 10;
const listEveryMilliseconds = 200;
const fetchTries = 3;
const cancelTries = 12;

/**
 * Starts the hostile engines of `proofs/hostile-engine`, and what the service does with one job: its adapter, the watch
 * over the job, the receiver of its callbacks and the check of its video. The database is a few maps.
 */
export async function startHostileEngines(cases: readonly Case[]) {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-engines-'));
  const videos = await Promise.all(colours.map((colour) => makeVideo(folder, colour, smallestShape)));
  const videoOf = (number: number): Buffer => videos[number % videos.length] ?? Buffer.alloc(0);
  const caseOfEngine = new Map(cases.map((case_) => [`${case_.protocol}-${case_.number}`, case_]));
  const canary = await startCanary();
  const server = await startHostileServer({
    cases,
    speak,
    videoOf: ({ number }) => videoOf(number),
    otherVideoOf: ({ number }) => videoOf(number + 1),
    canaryUrl: canary.url,
    caseOfEngine: (name) => caseOfEngine.get(name),
    clockOfEngine: () => createRequestClock(requestMilliseconds),
  });
  const checkVideo = await createVideoCheck(folder);
  const receiver = await startReceiver();

  /** Renders the task of a case as the service would. */
  async function render(case_: Case): Promise<HostileOutcome> {
    const { protocol, number } = case_;
    const url = server.urlOf(protocol, number);
    const endpoint = { ...kindOf[protocol], id: `${protocol}-${number}`, pool: protocol, url, token: null, slots: 1 };
    const { reports } = receiver;
    const clock = steppingClock(cogStepMilliseconds);
    const engine =
      protocol === 'cog' ? createCogEngine({ url, reports, clock }) : createEngine(endpoint, { reports, clock });
    const objections: string[] = [];
    const taskId = strayId('task', systemClock.now());
    const known = new Set<string>();
    let [failed, refused] = [0, 0];
    let end: AttemptEnd;
    try {
      for (let attempt = 1; ; attempt += 1) {
        receiver.begin(taskId, attempt, endpoint.id);
        end = await tryOnce(engine, case_, { taskId, attempt, endpointId: endpoint.id }, known, objections);
        refused = end === 'refused' ? refused + 1 : 0;
        failed += isWorthAnother(end) ? 1 : 0;
        if (refused === maximumRefusalsInARow) end = 'engine_unavailable';
        if (end !== 'refused' && (!isWorthAnother(end) || failed === maximumAttempts)) break;
      }
      receiver.end(taskId);
      server.settle(case_);
    } finally {
      await engine.close();
    }
    if (!case_.ends.includes(end)) objections.push(`the task ended as ${end} and not as ${case_.ends.join(' or ')}`);
    if (case_.mutation && !server.mutated.get(number)) objections.push('the engine never had to lie');
    return { end, objections };
  }

  async function tryOnce(
    engine: Engine,
    case_: Case,
    name: { taskId: string; attempt: number; endpointId: string },
    known: Set<string>,
    objections: string[],
  ): Promise<AttemptEnd> {
    const jobId = `${name.taskId}-${name.attempt}`;
    const image = case_.hasImage ? imageBytes(case_.number) : null;
    const shape = { ...smallestShape, seed: 1, negativePrompt: null };
    const request: RenderRequest = { jobId, prompt: promptOf(case_), image, ...shape };
    const clock = steppingClock(isSlow(case_) ? slowStepMilliseconds : stepMilliseconds);
    const beganAt = systemClock.now();
    let operation: EngineOperation | null;
    try {
      operation = await engine.submit(request, new AbortController().signal);
    } catch (error) {
      if (error instanceof SubmitRefused) return 'refused';
      if (error instanceof InputRejected) return 'engine_rejected_input';
      // It may have taken the job.
      operation = engine.operationFor(jobId) ?? (await adopt(engine, beganAt, request, known));
    }
    if (operation === null) return 'engine_lost';
    known.add(JSON.stringify(operation));
    if (case_.isCancelled) return cancel(engine, operation, case_, objections);

    const attempt = { ...name, slot: 0, fencing: '1', engineJobId: jobId, operation, slotFreedAt: null };
    const watching = {
      db: {},
      watch: { watch: () => undefined, unwatch: () => undefined, state: () => null },
      live: {
        report: (_task: unknown, { progress }: { progress: number }) => {
          if (!(progress >= 0 && progress <= 100)) objections.push(`the progress was ${progress}`);
        },
      },
      clock,
      log: { warn: () => undefined },
      speeds: { find: () => null },
      attemptLimitSeconds,
      stallSeconds: attemptLimitSeconds,
    } as unknown as WatchDependencies; // the rest is not used for a job that nobody stops
    const task = { prompt: request.prompt, livemode: true } as Parameters<typeof watchJob>[1]['task'];
    // By its clock the attempt begins later, because a young attempt is polled more often.
    const beganLater = new Date(clock.now().getTime() + attemptLimitSeconds * 1000);
    const job = { task, attempt: { ...attempt, beganAt: beganLater }, engine, operation };
    const end = await watchJob(watching, { ...job, signal: new AbortController().signal });
    switch (end.kind) {
      case 'succeeded': {
        const taken = await take(engine, operation, case_, objections);
        await engine.discard(operation).catch(() => undefined);
        return taken;
      }
      case 'failed':
      case 'rejected':
        return end.code;
      case 'deadline':
        return 'deadline_exceeded';
      default:
        throw new Error(`nobody stopped the job, but it ended as ${end.kind}`);
    }
  }

  /** Cancels until the engine stops lying, as the owner of an endpoint does until the slot is free. */
  async function cancel(engine: Engine, operation: EngineOperation, case_: Case, objections: string[]): Promise<End> {
    for (let tries = 0; tries < cancelTries; tries += 1) {
      const outcome = await engine.cancel(operation).catch(() => null);
      if (outcome !== null && server.mutated.get(case_.number)) return 'cancelled';
    }
    objections.push('no cancel came through, although the engine was honest again');
    return 'cancelled';
  }

  async function take(
    engine: Engine,
    operation: EngineOperation,
    { number }: Case,
    objections: string[],
  ): Promise<'completed' | 'output_invalid'> {
    for (let tries = 0; tries < fetchTries; tries += 1) {
      const output = await fetchOnce(engine, operation);
      if (output === 'failed') continue;
      if (output === 'invalid') return 'output_invalid';
      if (output.equals(videoOf(number))) return 'completed';
      if (videos.some((video) => video.equals(output))) objections.push("the task completed with another task's video");
      return checkVideo(output);
    }
    return 'output_invalid';
  }

  return {
    render,
    server,
    canary,
    async close(): Promise<void> {
      await server.close();
      await Promise.all([receiver.close(), canary.close(), rm(folder, { recursive: true })]);
    },
  };
}

/** Returns whether the case only ends because its engine takes too long to respond. */
export function isSlow({ name }: Case): boolean {
  return /no response|trickles/.test(name);
}

function isWorthAnother(end: AttemptEnd): boolean {
  const final: readonly AttemptEnd[] = [
    'refused',
    'completed',
    'cancelled',
    'engine_unavailable',
    'engine_rejected_input',
    'output_rejected',
    'deadline_exceeded',
  ];
  return !final.includes(end);
}

function steppingClock(milliseconds: number): Clock {
  let now = Date.now();
  return clockAt(() => new Date((now += milliseconds)));
}

/** Finds the one job that an engine which makes the ids took, and which is not of an earlier attempt. */
async function adopt(engine: Engine, beganAt: Date, request: RenderRequest, known: ReadonlySet<string>) {
  for (let tries = 0; tries < listTries; tries += 1) {
    const jobs = (await engine.jobsSince(beganAt, request).catch(() => null)) ?? [];
    const [only, ...others] = jobs.filter((job) => !known.has(JSON.stringify(job)));
    if (only && others.length === 0) return only;
    await pause(listEveryMilliseconds);
  }
  return null;
}

async function fetchOnce(engine: Engine, operation: EngineOperation): Promise<Buffer | 'invalid' | 'failed'> {
  try {
    const { body, engineError } = await openOutput(engine, operation);
    return await buffer(body).catch((error: unknown) => {
      throw engineError() ?? error;
    });
  } catch (error) {
    return error instanceof OutputInvalid ? 'invalid' : 'failed';
  }
}

/** Returns a function that checks a video as the service does, each file once. */
async function createVideoCheck(folder: string) {
  const video = createVideo({ box: await createBox({}) });
  const checked = new Map<string, Promise<'completed' | 'output_invalid'>>();
  const check = async (name: string, bytes: Buffer) => {
    const own = await mkdtemp(join(folder, 'check-'));
    await writeFile(join(own, name), bytes);
    try {
      await video.conform(join(own, name), smallestShape, own);
      return 'completed';
    } catch (error) {
      if (error instanceof OutputInvalid) return 'output_invalid';
      throw error;
    }
  };
  return (bytes: Buffer): Promise<'completed' | 'output_invalid'> => {
    const name = createHash('sha256').update(bytes).digest('hex');
    const result = checked.get(name) ?? check(name, bytes);
    checked.set(name, result);
    return result;
  };
}

type Receiving = Parameters<typeof wireEngineReports>[0] & Parameters<typeof handleEngineCallback>[0];

/** Starts the private port, with the reports and outputs of callbacks in maps that keep the rules of the tables. */
async function startReceiver() {
  const tasks = new Map<string, { status: string; attempt: number }>();
  const attempts = new Map<string, { endpointId: string; engineJobId: string }>();
  const reports = new Map<string, EngineReport & { heardAt: Date }>();
  const objects = new Map<string, Buffer>();
  const locked = new Set<string>();
  const keyOf = (taskId: string, attempt: number): string => `${taskId}-${attempt}`;
  const tables = {
    tasks: { find: async (taskId: string) => tasks.get(taskId) ?? null },
    attempts: { find: async (taskId: string, attempt: number) => attempts.get(keyOf(taskId, attempt)) ?? null },
    engineReports: {
      find: async (taskId: string, attempt: number) => reports.get(keyOf(taskId, attempt)) ?? null,
      forget: async (taskId: string, attempt: number) => void reports.delete(keyOf(taskId, attempt)),
      async write(taskId: string, attempt: number, report: EngineReport, heardAt: Date) {
        const former = reports.get(keyOf(taskId, attempt));
        if (former && former.status !== 'running') return;
        const progress = Math.max(former?.progress ?? -1, report.progress ?? -1);
        reports.set(keyOf(taskId, attempt), { ...report, progress: progress < 0 ? null : progress, heardAt });
      },
    },
  };
  const db = {
    ...tables,
    async transaction<T>(work: (inside: unknown) => Promise<T>): Promise<T> {
      const own: string[] = [];
      const lock = async (taskId: string, attempt: number): Promise<boolean> => {
        const key = keyOf(taskId, attempt);
        if (locked.has(key)) return false;
        own.push(key);
        locked.add(key);
        return true;
      };
      try {
        return await work({ ...tables, engineReports: { ...tables.engineReports, lock } });
      } finally {
        for (const key of own) locked.delete(key);
      }
    },
  };
  const storage = {
    head: async (key: string) => (objects.has(key) ? { sizeBytes: objects.get(key)?.length } : null),
    read: async (key: string) => (objects.has(key) ? Readable.from([objects.get(key)]) : null),
    delete: async (keys: readonly string[]) => keys.forEach((key) => objects.delete(key)),
    async putStream(key: string, body: Readable): Promise<number> {
      const bytes = await buffer(body);
      objects.set(key, bytes);
      return bytes.length;
    },
  };
  const config = { KINORA_SECRET_KEYS: ['a key of at least thirty-two characters'], KINORA_ENGINE_CALLBACK_URL: '' };
  const policy = { ...strictPolicy, allowHttp: true };
  const fetcher = createGuardedFetcher(policy);
  const parts = {
    config,
    db,
    storage,
    clock: systemClock,
    tokens: createEngineCallbackTokens(config.KINORA_SECRET_KEYS),
    readCallback: readCogCallback,
    fetchOutput: (_endpointId: string, url: string) => fetchNamedOutput({ engine: null, fetcher }, url),
    // All engines are one process here, so the limit of all uploads would let them wait for each other.
    uploadLimit: createConcurrencyLimit({ total: Number.POSITIVE_INFINITY, perHolder: 1 }),
  } as unknown as Receiving; // all that callbacks use
  const app = createPrivateApp({
    handleEngineCallback: (token: string, body: Readable) => handleEngineCallback(parts, token, body),
    names: ['127.0.0.1'],
    token: null,
    log: { warn: () => undefined },
    renderMetrics: async () => '',
    readiness: {},
  } as unknown as Parameters<typeof createPrivateApp>[0]); // only its callbacks are called
  config.KINORA_ENGINE_CALLBACK_URL = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    reports: wireEngineReports(parts),
    begin(taskId: string, attempt: number, endpointId: string): void {
      tasks.set(taskId, { status: 'in_progress', attempt });
      attempts.set(keyOf(taskId, attempt), { endpointId, engineJobId: keyOf(taskId, attempt) });
    },
    end(taskId: string): void {
      const { attempt = 1 } = tasks.get(taskId) ?? {};
      tasks.set(taskId, { status: 'completed', attempt });
      for (let number = 1; number <= attempt; number += 1) objects.delete(rawKey(taskId, number));
    },
    async close(): Promise<void> {
      app.server.closeAllConnections();
      await Promise.all([app.close(), fetcher.close()]);
    },
  };
}
