import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createUrlSigner } from './api/signed-urls.ts';
import { createTaskLinks } from './api/task-links.ts';
import type { Config } from './config.ts';
import { holdAdvisoryLock } from './db/advisory-lock.ts';
import { connectDatabase, orOverloaded } from './db/database.ts';
import { ensurePartitions, minimumDaysAhead, partitionDaysAhead } from './db/partitions.ts';
import { systemClock } from './domain/clock.ts';
import { animatic } from './domain/model.ts';
import { createAnimaticEngine } from './engines/animatic/animatic-engine.ts';
import { createRegistry } from './engines/registry.ts';
import { createLive } from './live/live.ts';
import { createBox } from './media/box.ts';
import { encodeFrames } from './media/encode.ts';
import { createImages } from './media/images.ts';
import { removeStaleScratch, withScratchFolder } from './media/scratch.ts';
import { createVideo } from './media/video.ts';
import { authenticate } from './operations/authenticate.ts';
import { createTask } from './operations/create-task.ts';
import { readFile } from './operations/read-file.ts';
import { readTask } from './operations/read-task.ts';
import { createTemporalWorkflowClient } from './operations/temporal-workflow-client.ts';
import { createGuardedFetcher } from './outbound/guarded-fetch.ts';
import { startRelay } from './relay/relay.ts';
import { createS3Storage } from './storage/s3-storage.ts';
import { armFailpoints } from './telemetry/failpoints.ts';
import { createLog } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';

export const roles = ['api', 'relay', 'worker', 'animatic'] as const;
export type Role = (typeof roles)[number];

/** Something that was started; closing is the reverse of starting. */
interface Started {
  close(): Promise<void>;
}

/** What every command and role stands on: the record, the store, Temporal. Nothing connects before it is used. */
export function wireFoundation(config: Config, roleNames: readonly string[]) {
  const log = createLog({ level: config.KINORA_LOG_LEVEL, roles: roleNames });
  const clock = systemClock;
  const db = connectDatabase({
    url: config.KINORA_DATABASE_URL,
    poolSize: config.KINORA_DATABASE_POOL_SIZE,
    applicationName: `kinora-${roleNames.join('+')}`,
    onIdleError: (error) => log.warn({ err: error }, 'a connection to Postgres was lost'),
  });
  const storage = createS3Storage({
    endpoint: config.KINORA_S3_ENDPOINT,
    region: config.KINORA_S3_REGION,
    bucket: config.KINORA_S3_BUCKET,
    accessKeyId: config.KINORA_S3_ACCESS_KEY_ID,
    secretAccessKey: config.KINORA_S3_SECRET_ACCESS_KEY,
    forcePathStyle: config.KINORA_S3_FORCE_PATH_STYLE,
    publicEndpoint: config.KINORA_S3_PUBLIC_ENDPOINT,
  });
  const workflows = createTemporalWorkflowClient({
    address: config.KINORA_TEMPORAL_ADDRESS,
    namespace: config.KINORA_TEMPORAL_NAMESPACE,
    db,
    clock,
    log,
  });
  const close = async (): Promise<void> => {
    await workflows.close();
    storage.close();
    await db.close();
  };
  return { config, log, clock, db, storage, workflows, close };
}

export type Foundation = ReturnType<typeof wireFoundation>;

/** Starts the roles asked for in this process; `close` hands over what is under way and stops them. */
export async function startRoles(config: Config, asked: readonly Role[]): Promise<Started> {
  armFailpoints(config.KINORA_FAILPOINTS);
  await mkdir(config.KINORA_SCRATCH_FOLDER, { recursive: true });
  await removeStaleScratch(config.KINORA_SCRATCH_FOLDER);
  const started: Started[] = [];
  const close = async (): Promise<void> => {
    for (const part of started.toReversed()) await part.close();
  };
  try {
    if (asked.includes('animatic')) started.push(await startAnimatic(config));
    if (asked.some((role) => role !== 'animatic')) {
      const foundation = wireFoundation(config, asked);
      started.push(foundation);
      const metrics = createMetrics();
      await metrics.listen(config.KINORA_PRIVATE_HOST, config.KINORA_PRIVATE_PORT);
      started.push(metrics);
      if (asked.includes('worker')) started.push(await startWorker(foundation));
      if (asked.includes('relay')) started.push(startRelayRole(foundation, metrics));
      if (asked.includes('api')) started.push(await startApi(foundation, metrics));
    }
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

// A role's code is loaded when the role is started: commands and single roles start in half the time and memory.

async function startAnimatic(config: Config): Promise<Started> {
  const { createAnimaticServer } = await import('./engines/animatic/animatic-server.ts');
  const box = await createBox({});
  const log = createLog({ level: config.KINORA_LOG_LEVEL, roles: ['animatic'] });
  const server = createAnimaticServer({
    box,
    encodeFrames,
    log,
    scratchRoot: config.KINORA_SCRATCH_FOLDER,
    slots: config.KINORA_ANIMATIC_SLOTS,
  });
  const url = await server.listen(config.KINORA_ANIMATIC_HOST, config.KINORA_ANIMATIC_PORT);
  log.info({ url, isolation: box.isolation }, 'animatic listens');
  return server;
}

async function startApi(foundation: Foundation, metrics: ReturnType<typeof createMetrics>): Promise<Started> {
  const { createApp } = await import('./api/app.ts');
  const { config, log, clock, db, storage, workflows } = foundation;
  const box = await createBox({});
  const images = createImages({
    box,
    scratchRoot: config.KINORA_SCRATCH_FOLDER,
    poolSize: config.KINORA_MEDIA_CONCURRENCY,
  });
  const fetcher = createGuardedFetcher({
    allowHttp: config.KINORA_OUTBOUND_ALLOW_HTTP,
    allowedPorts: config.KINORA_OUTBOUND_ALLOWED_PORTS,
    allowedNetworks: config.KINORA_OUTBOUND_ALLOWED_NETWORKS,
  });
  const signer = createUrlSigner({ publicUrl: config.KINORA_PUBLIC_URL, secretKeys: config.KINORA_SECRET_KEYS, clock });
  const app = createApp({
    log,
    clock,
    publicUrl: config.KINORA_PUBLIC_URL,
    allowHttpImages: config.KINORA_OUTBOUND_ALLOW_HTTP,
    authenticate: (key) => orOverloaded(() => authenticate({ db, clock }, key)),
    createTask: async (input) => {
      const dependencies = { db, storage, images, fetcher, workflows, clock };
      const { answered, ...view } = await orOverloaded(() => createTask(dependencies, input));
      return { view: { ...view, live: null }, answered };
    },
    readTask: (caller, taskId) => orOverloaded(() => readTask({ db }, caller, taskId)),
    readFile: (taskId, variant) => orOverloaded(() => readFile({ db, storage }, taskId, variant)),
    links: createTaskLinks({ signer, storage, clock }),
    signer,
    readiness: () => readiness(foundation),
    onRouteTime: (...measured) => metrics.routeTime(...measured),
  });
  const url = await app.listen({ host: config.KINORA_HOST, port: config.KINORA_PORT });
  log.info({ url, isolation: box.isolation }, 'the API listens');
  return {
    close: async () => {
      await app.close();
      await images.close();
      await fetcher.close();
    },
  };
}

/** Postgres and partitions decide; Temporal and the store may be away without a caller noticing at once. */
async function readiness({ db, storage, workflows, clock }: Foundation) {
  const verdict = async (check: Promise<void>, otherwise: 'failed' | 'degraded') =>
    check.then(
      () => 'ok' as const,
      () => otherwise,
    );
  const enoughPartitions = async (): Promise<void> => {
    if ((await partitionDaysAhead(db.kysely, clock.now())) < minimumDaysAhead)
      throw new Error('too few partitions ahead');
  };
  const [postgres, partitions, temporal, store] = await Promise.all([
    verdict(db.check(), 'failed'),
    verdict(enoughPartitions(), 'failed'),
    verdict(workflows.check(), 'degraded'),
    verdict(storage.check(), 'degraded'),
  ]);
  return {
    ready: postgres === 'ok' && partitions === 'ok',
    checks: { postgres, partitions, temporal, storage: store },
  };
}

function startRelayRole(foundation: Foundation, metrics: ReturnType<typeof createMetrics>): Started {
  const { config, db, clock } = foundation;
  const lock = holdAdvisoryLock({ databaseUrl: config.KINORA_DATABASE_URL, name: 'reconcile' });
  return startRelay({
    ...foundation,
    metrics,
    lock,
    ensurePartitions: () => ensurePartitions(db.kysely, clock.now()),
    waitLimitHours: config.KINORA_TASK_WAIT_HOURS,
    reconcileSeconds: config.KINORA_RECONCILE_SECONDS,
  });
}

async function startWorker(foundation: Foundation): Promise<Started> {
  const { startWorkers } = await import('./activities/workers.ts');
  const { config, log, clock, db } = foundation;
  const box = await createBox({});
  log.info({ isolation: box.isolation }, 'the worker starts');
  const scratchRoot = config.KINORA_SCRATCH_FOLDER;
  const images = createImages({ box, scratchRoot, poolSize: config.KINORA_MEDIA_CONCURRENCY });
  const live = createLive({ db, clock, log });
  const registry = createRegistry([
    { id: 'animatic', pool: animatic.pool, engine: createAnimaticEngine({ url: config.KINORA_ANIMATIC_URL }) },
  ]);
  const workers = startWorkers({
    ...foundation,
    images,
    video: createVideo({ box }),
    live,
    registry,
    withScratch: (work) => withScratchFolder(scratchRoot, work),
    holdLock: (name, listeners) => holdAdvisoryLock({ databaseUrl: config.KINORA_DATABASE_URL, name, ...listeners }),
    workflowsPath: join(import.meta.dirname, 'workflows', 'generate-video.ts'),
    temporalAddress: config.KINORA_TEMPORAL_ADDRESS,
    temporalNamespace: config.KINORA_TEMPORAL_NAMESPACE,
    mediaConcurrency: config.KINORA_MEDIA_CONCURRENCY,
    attemptLimitSeconds: config.KINORA_ATTEMPT_LIMIT_SECONDS,
    fileRetentionDays: config.KINORA_FILE_RETENTION_DAYS,
  });
  return {
    close: async () => {
      await workers.close();
      await live.close();
      await images.close();
    },
  };
}
