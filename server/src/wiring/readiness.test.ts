import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectDatabase } from '../db/database.ts';
import { systemClock } from '../domain/clock.ts';
import { createTemporalWorkflowClient } from '../operations/queue/temporal-workflow-client.ts';
import { listen } from '../outbound/loopback-server.fixture.ts';
import { createS3Storage } from '../storage/s3-storage.ts';
import { createLog } from '../telemetry/log.ts';
import { createReadiness } from './readiness.ts';

describe('readiness', () => {
  it('is known within seconds even if Postgres, Temporal and the store accept connections and never respond', async () => {
    await using silent = await listen(createServer());
    const db = connectDatabase({
      url: `postgres://kinora@127.0.0.1:${silent.port}/kinora?connect_timeout=60`,
      poolSize: 2,
      applicationName: 'kinora-test',
      fileRetentionDays: 7,
      onIdleError: () => undefined,
    });
    const storage = createS3Storage({
      endpoint: `http://127.0.0.1:${silent.port}`,
      region: 'us-east-1',
      bucket: 'kinora',
      accessKeyId: 'kinora',
      secretAccessKey: 'secret',
      forcePathStyle: true,
      publicEndpoint: null,
    });
    const workflows = createTemporalWorkflowClient({
      address: `127.0.0.1:${silent.port}`,
      namespace: 'kinora',
      db,
      clock: systemClock,
      log: createLog({ level: 'silent', roles: [] }),
    });
    const before = performance.now();
    expect(await createReadiness({ db, storage, workflows, clock: systemClock }).check()).toEqual({
      ready: false,
      checks: { postgres: 'failed', partitions: 'failed', temporal: 'degraded', storage: 'degraded' },
    });
    // Without a limit of its own, the check of the store would take 20 s or more.
    expect(performance.now() - before).toBeLessThan(10_000);
    storage.close();
    await workflows.close();
    await db.close();
  }, 60_000);
});
