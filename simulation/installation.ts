import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { serveQueues } from '../server/src/activities/serve-queues.ts';
import { plainProcess } from '../server/src/db/attempts/process.fixture.ts';
import { oldPartitions } from '../server/src/db/connection/old-partitions.ts';
import { createPostgresClock } from '../server/src/db/connection/postgres-clock.ts';
import type { Database } from '../server/src/db/database.ts';
import { idempotencyDays } from '../server/src/db/tasks/idempotency-key-table.ts';
import type { Catalogue } from '../server/src/domain/catalogue.ts';
import type { Clock } from '../server/src/domain/clock.ts';
import { limits } from '../server/src/domain/limits.ts';
import { random } from '../server/src/domain/random.ts';
import { createRegistry } from '../server/src/engines/registry.ts';
import { createLive } from '../server/src/live/live.ts';
import type { Images } from '../server/src/media/images.ts';
import { withScratchFolder } from '../server/src/media/scratch.ts';
import type { Video } from '../server/src/media/video.ts';
import { signEverySeconds } from '../server/src/operations/attempts/follow-gone-workers.ts';
import { countImageCreates } from '../server/src/operations/files/count-image-creates.ts';
import { createKnownSpeeds } from '../server/src/operations/queue/known-speeds.ts';
import { createProjectLimit } from '../server/src/operations/queue/project-limit.ts';
import { createWorkflowClient } from '../server/src/operations/queue/temporal-workflow-client.ts';
import { createWaitingLimit } from '../server/src/operations/queue/waiting-limit.ts';
import { workerIdentity } from '../server/src/operations/queue/worker-identity.ts';
import type { WorkflowClient } from '../server/src/operations/queue/workflow-client.ts';
import { createProcessReporter } from '../server/src/operations/upkeep/process-reporter.ts';
import type { GuardedFetcher } from '../server/src/outbound/guarded-fetch.ts';
import { every } from '../server/src/relay/every.ts';
import { startRelay } from '../server/src/relay/relay.ts';
import type { Storage } from '../server/src/storage/storage.ts';
import { createLog } from '../server/src/telemetry/log.ts';
import type { Metrics } from '../server/src/telemetry/metrics.ts';
import { readRetryAfter } from '../server/src/webhooks/schedule.ts';
import { createSecretBox } from '../server/src/webhooks/secret-box.ts';
import { newWebhookSecret, signWebhook } from '../server/src/webhooks/sign.ts';
import type { Process, Scheduler, Turns } from './scheduler.ts';
import type { SimulatedEngine } from './simulated-engine.ts';
import type { SimulatedLocks } from './simulated-locks.ts';
import type { SimulatedPostgres } from './simulated-postgres.ts';
import type { SimulatedStore } from './simulated-store.ts';
import type { SimulatedTemporal } from './temporal/server.ts';

/** What the processes of an installation share, beside Postgres and Temporal. */
export interface Surroundings {
  turns: Turns;
  locks: SimulatedLocks;
  store: SimulatedStore;
  engines: ReadonlyMap<string, { pool: string; engine: Pick<SimulatedEngine, 'engineFor'> }>;
  catalogue: Catalogue;
  /** Takes the body of a webhook and returns the status of the response. */
  receive: (body: string) => number;
  scratch: string;
  onFinding: (kind: string) => void;
}

const secretKeys = ['k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='];
const log = createLog({ level: 'silent', roles: ['simulation'] });

/** Postgres and Temporal of a world. */
export interface Servers extends Surroundings {
  scheduler: Scheduler;
  postgres: SimulatedPostgres;
  postgresOffsetMilliseconds: number;
  temporal: SimulatedTemporal;
}

/** What every process has: its clock, and its connections to everything else. */
export interface Foundation {
  process: Process;
  processId: string;
  clock: Clock;
  db: Database;
  storage: Storage;
  workflows: WorkflowClient;
}

export function foundationOf(world: Servers, process: Process): Foundation {
  const { clock, note } = createPostgresClock(world.scheduler.clockOf(process));
  note({ at: new Date(world.scheduler.milliseconds + world.postgresOffsetMilliseconds), tookMilliseconds: 0 });
  const db = world.postgres.databaseFor(world.scheduler, process, {
    offsetMilliseconds: world.postgresOffsetMilliseconds,
    onTaskChanged: () => undefined,
  });
  const temporal = {
    call: <T>(work: (client: Client) => Promise<T>) => work(clientOf(world, process)),
    close: async () => undefined,
  };
  return {
    process,
    processId: random.uuid(),
    clock,
    db,
    storage: world.store.storageFor(process),
    workflows: createWorkflowClient({ db, clock, log }, temporal, 'simulation'),
  };
}

/** The part of Temporal's client that the service uses. Each call is one step. */
function clientOf({ scheduler, temporal }: Servers, process: Process): Client {
  const call = <T>(name: string, effect: () => T): Promise<T> =>
    scheduler.call(process, `temporal ${name}`, () => {
      if (!temporal.isUp) throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
      return effect();
    });
  interface StartOptions {
    workflowId: string;
    taskQueue: string;
    args: unknown[];
    workflowIdReusePolicy: string;
    priority: { fairnessKey: string };
  }
  const client = {
    workflow: {
      start: (type: string, { workflowId, taskQueue, args, workflowIdReusePolicy, priority }: StartOptions) =>
        call(`start ${workflowId}`, () => {
          const mayRepeat = workflowIdReusePolicy === 'ALLOW_DUPLICATE';
          temporal.start(type, { workflowId, taskQueue, args, fairnessKey: priority.fairnessKey, mayRepeat });
        }),
      getHandle: (workflowId: string, runId?: string) => ({
        terminate: () => call(`terminate ${workflowId}`, () => temporal.terminate(workflowId, runId)),
        cancel: () => call(`cancel ${workflowId}`, () => temporal.cancel(workflowId)),
        describe: () =>
          call(`describe ${workflowId}`, () => ({
            status: { name: temporal.status(workflowId) },
            raw: { pendingActivities: temporal.startedActivities(workflowId) },
          })),
      }),
    },
    workflowService: {
      describeNamespace: () => call('describe namespace', () => ({})),
      respondActivityTaskFailedById: ({ workflowId, activityId }: { workflowId: string; activityId: string }) =>
        call(`fail activity ${activityId} of ${workflowId}`, () => temporal.failActivity(workflowId, activityId)),
      getWorkflowExecutionHistoryReverse: ({ execution: { workflowId } }: { execution: { workflowId: string } }) =>
        call(`history of ${workflowId}`, () => ({ history: { events: lastEvents(temporal.hasOutgrown(workflowId)) } })),
    },
  };
  return client as unknown as Client;
}

function lastEvents(isOutgrown: boolean): object[] {
  const message = isOutgrown ? '[TMPRL1100] Nondeterminism error' : 'failed';
  const identity = workerIdentity('simulated', '');
  return [
    { workflowExecutionFailedEventAttributes: { failure: { message } } },
    { workflowTaskCompletedEventAttributes: { identity } },
  ];
}

export type Api = ReturnType<typeof apiOf>;

/** What the operations behind the API need. */
export function apiOf(world: Surroundings, foundation: Foundation) {
  const { clock, db } = foundation;
  return {
    ...foundation,
    catalogue: () => world.catalogue,
    images,
    fetcher: fetcherOf(world, foundation.process),
    countImageCreate: countImageCreates({ clock }),
    imageLimit: createProjectLimit({ clock }, limits.images),
    waitingLimit: createWaitingLimit({ db, clock, limit: 1_000_000 }),
    presentCreated: ({ task }: { task: { id: string } }) => JSON.stringify({ id: task.id }),
    box: createSecretBox(secretKeys),
    newSecret: newWebhookSecret,
    log,
  };
}

export function startRelayProcess(world: Surroundings, foundation: Foundation): { close(): Promise<void> } {
  const { process, db } = foundation;
  return startRelay({
    ...foundation,
    log,
    metrics: metricsOf(world),
    catalogue: () => world.catalogue,
    reviewSecrets: async () => ({ underOtherKeys: 0, unreadable: 0 }) as never,
    lock: world.locks.open(process, 'relays').hold('reconcile'),
    partitions: oldPartitions(db.kysely),
    retention: { recordDays: 30, usageDays: 400 },
    idempotencyDays,
    auditDays: 400,
    ensurePartitions: async () => undefined,
    waitLimitHours: 24,
    reconcileSeconds: 60,
  });
}

export type CreateWorker = Parameters<typeof serveQueues>[1];

/** Returns a function that tells the worker to end in good order. */
export function startWorkerProcess(
  world: Surroundings,
  foundation: Foundation,
  createWorker: CreateWorker,
  workflowBundle: NonNullable<WorkerOptions['workflowBundle']> = { code: '' },
): () => Promise<void> {
  const { process, processId, clock, db } = foundation;
  const closing = new AbortController();
  const describe = () => ({ ...plainProcess(), id: processId });
  const { sign } = createProcessReporter({ db, clock, log, describe });
  const signing = every(clock, signEverySeconds, sign, () => undefined);
  const endpoints = [...world.engines].map(([id, { pool, engine }]) => ({
    id,
    pool,
    engine: engine.engineFor(process, id),
  }));
  const serving = serveQueues(
    {
      ...foundation,
      log,
      catalogue: () => world.catalogue,
      images,
      video,
      live: createLive({ db, clock, log }),
      registry: createRegistry(endpoints),
      withScratch: (work) => withScratchFolder(world.scratch, work),
      holdLock: world.locks.open(process, 'workers').hold,
      webhooks: webhookParts(world, process),
      workflowBundle,
      mediaConcurrency: 2,
      attemptLimitSeconds: 7_200,
      stallSeconds: 30,
      speeds: createKnownSpeeds({ db, clock, log }),
    },
    createWorker,
    closing.signal,
  );
  return async () => {
    closing.abort();
    await serving;
    await signing.close();
  };
}

function webhookParts(world: Surroundings, process: Process) {
  return {
    box: createSecretBox(secretKeys),
    newSecret: newWebhookSecret,
    fetcher: fetcherOf(world, process),
    sign: signWebhook,
    nextDelaySeconds: (tries: number) => [2, 5, 10, 30, 60][tries - 1] ?? null,
    readRetryAfter,
    bodyOf: async ({ eventId, eventType, taskId }: { eventId: string; eventType: string; taskId: string | null }) => ({
      id: eventId,
      type: eventType,
      task: taskId,
    }),
    tryMilliseconds: 20_000,
  };
}

function fetcherOf({ turns, receive }: Surroundings, process: Process): GuardedFetcher {
  return {
    fetch: (url, { body }) =>
      turns.call(process, `post ${url}`, () => {
        const status = receive(Buffer.from(body ?? []).toString());
        return { status, headers: {}, body: Buffer.from('') };
      }),
    close: async () => undefined,
  };
}

const images: Images = {
  normalise: async (_projectId, bytes) => ({
    bytes,
    contentType: 'image/png',
    width: 640,
    height: 480,
    sha256: '0'.repeat(64),
  }),
  fit: async (_projectId, bytes) => bytes,
  close: async () => undefined,
};

/** Takes every output for a video of the wanted size. */
const video: Video = {
  async conform(inputPath, target, folder) {
    const [videoPath, thumbnailPath, spritesheetPath] = ['video.mp4', 'thumbnail.jpg', 'spritesheet.jpg'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    for (const path of [videoPath, thumbnailPath, spritesheetPath]) await copyFile(inputPath, path);
    const { width, height, fps, frameCount } = target;
    const properties = { width, height, fps, frameCount, durationSeconds: frameCount / fps, hasAudio: false } as never;
    return { videoPath, thumbnailPath, spritesheetPath, properties, rendered: { width, height } };
  },
};

/** Metrics that only look for what the service repaired. */
function metricsOf({ onFinding }: Surroundings): Metrics {
  const known = { reconcilerFinding: onFinding };
  return new Proxy({}, { get: (_target, name) => Reflect.get(known, name) ?? (() => undefined) }) as Metrics;
}
