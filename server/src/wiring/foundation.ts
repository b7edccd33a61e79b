import type { Config } from '../config.ts';
import { connectDatabase, isDatabaseUnavailable } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { systemClock } from '../domain/clock.ts';
import { createNotices } from '../live/notices.ts';
import { createTemporalWorkflowClient } from '../operations/queue/temporal-workflow-client.ts';
import { createS3Storage } from '../storage/s3-storage.ts';
import { createLog } from '../telemetry/log.ts';
import { createCatalogueSource } from './catalogue-source.ts';

/** Something that was started; closing is the reverse of starting. */
export interface Started {
  close(): Promise<void>;
}

/** Wires what every command and role needs: the database, the store, Temporal. Nothing connects before it is used. */
export function wireFoundation(config: Config, roleNames: readonly string[]) {
  const log = createLog({
    level: config.KINORA_LOG_LEVEL,
    roles: roleNames,
    isConnectionError: isDatabaseUnavailable,
  });
  const clock = systemClock;
  const db = connectDatabase({
    url: config.KINORA_DATABASE_URL,
    poolSize: config.KINORA_DATABASE_POOL_SIZE,
    applicationName: `kinora-${roleNames.join('+')}`,
    fileRetentionDays: config.KINORA_FILE_RETENTION_DAYS,
    onIdleError: (error) => log.warn({ event: 'database.connection_lost', err: error }, 'connection to Postgres lost'),
    onTaskChanged: (change) => notices.changed(change),
  });
  const notices = createNotices({ send: (payloads) => db.notices.send(payloads), log });
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
  const models = createCatalogueSource({
    path: config.KINORA_MODELS_FILE,
    tokens: config.KINORA_ENGINE_TOKENS,
    animaticUrl: config.KINORA_ANIMATIC_URL,
    log,
  });
  const close = async (): Promise<void> => {
    models.close();
    await workflows.close();
    storage.close();
    await notices.close();
    await db.close();
  };
  const catalogue = (): Catalogue => models.current().catalogue;
  return { config, log, clock, db, models, catalogue, notices, storage, workflows, close };
}

export type Foundation = ReturnType<typeof wireFoundation>;
