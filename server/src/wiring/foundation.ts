import type { Config } from '../config/config.ts';
import { createPostgresClock } from '../db/connection/postgres-clock.ts';
import { connectDatabase, isDatabaseUnavailable } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { systemClock } from '../domain/clock.ts';
import { random } from '../domain/random.ts';
import { createCatalogueSource } from '../engines/models-file/catalogue-source.ts';
import { createNotices } from '../live/notices.ts';
import { createTemporalWorkflowClient } from '../operations/queue/temporal-workflow-client.ts';
import { createS3Storage } from '../storage/s3-storage.ts';
import { createLog } from '../telemetry/log.ts';
import { readS3Access } from './read-s3-access.ts';
import { readTemporalAccess } from './read-temporal-access.ts';

/** Something that was started; closing is the reverse of starting. */
export interface Started {
  close(): Promise<void>;
}

/** What every command and role needs. Nothing connects, or reads its settings, before it is used. */
export function wireFoundation(config: Config, roleNames: readonly string[]) {
  const log = createLog({
    level: config.KINORA_LOG_LEVEL,
    roles: roleNames,
    isConnectionError: isDatabaseUnavailable,
  });
  const { clock, note: onTime, aheadMilliseconds } = createPostgresClock(systemClock);
  const db = connectDatabase({
    url: config.KINORA_DATABASE_URL,
    poolSize: config.KINORA_DATABASE_POOL_SIZE,
    applicationName: `kinora-${roleNames.join('+')}`,
    fileRetentionDays: config.KINORA_FILE_RETENTION_DAYS,
    onIdleError: (error) => log.warn({ event: 'database.connection_lost', err: error }, 'connection to Postgres lost'),
    onTaskChanged: (change) => notices.changed(change),
    onTime,
  });
  const notices = createNotices({ send: (payloads) => db.notices.send(payloads), clock, log });
  const storage = createLazily(() => wireStorage(config));
  const workflows = createLazily(() => createTemporalWorkflowClient({ ...readTemporalAccess(config), db, clock, log }));
  const models = createCatalogueSource({
    path: config.KINORA_MODELS_FILE,
    tokens: config.KINORA_ENGINE_TOKENS,
    animaticUrl: config.KINORA_ANIMATIC_URL,
    log,
  });
  const close = async (): Promise<void> => {
    models.close();
    await workflows.created()?.close();
    storage.created()?.close();
    await notices.close();
    await db.close();
  };
  const catalogue = (): Catalogue => models.current().catalogue;
  return {
    config,
    /** This process, in the rows that it writes and by the name that Temporal knows. */
    processId: random.uuid(),
    log,
    clock,
    aheadMilliseconds,
    db,
    models,
    catalogue,
    notices,
    storage: storage.proxy,
    workflows: workflows.proxy,
    close,
  };
}

/** Returns a stand-in for an object of functions that is created when it is first used. */
function createLazily<T extends object>(create: () => T): { proxy: T; created: () => T | null } {
  let created: T | null = null;
  const get = (_target: unknown, name: string | symbol): unknown => Reflect.get((created ??= create()), name);
  // The proxy reads every property from the created object, so it has all of them.
  return { proxy: new Proxy<T>({} as T, { get }), created: () => created };
}

/** Connects to the store. Code that reads many objects at once, or slowly, needs connections of its own. */
export function wireStorage(config: Config, readLimit?: number) {
  return createS3Storage({
    ...readS3Access(config),
    bucket: config.KINORA_S3_BUCKET,
    publicEndpoint: config.KINORA_S3_PUBLIC_ENDPOINT,
    ...(readLimit !== undefined && { readLimit }),
  });
}

export type Foundation = ReturnType<typeof wireFoundation>;
