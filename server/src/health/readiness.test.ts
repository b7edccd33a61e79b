import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectDatabase } from '../db/database.ts';
import { systemClock } from '../domain/clock.ts';
import { createTemporalWorkflowClient } from '../operations/queue/temporal-workflow-client.ts';
import { listen } from '../outbound/loopback-server.fixture.ts';
import { unreachableStorage } from '../storage/storage.fixture.ts';
import { createLog } from '../telemetry/log.ts';
import { createReadiness } from './readiness.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('readiness', () => {
  it('is known before the parts give up, if Postgres, Temporal and the store accept connections and never respond', async () => {
    await using silent = await listen(createServer());
    const db = connectDatabase({
      url: `postgres://kinora@127.0.0.1:${silent.port}/kinora?connect_timeout=60`,
      poolSize: 2,
      applicationName: 'kinora-test',
      fileRetentionDays: 7,
      onIdleError: () => undefined,
    });
    const storage = unreachableStorage(`http://127.0.0.1:${silent.port}`);
    const workflows = createTemporalWorkflowClient({
      address: `127.0.0.1:${silent.port}`,
      namespace: 'kinora',
      db,
      clock: systemClock,
      log: createLog({ level: 'silent', roles: [] }),
    });
    let hasPartGivenUp = false;
    const givingUp = Promise.allSettled(
      [db.check(), storage.check()].map((check) => check.finally(() => (hasPartGivenUp = true))),
    );
    expect(await createReadiness({ db, storage, workflows, clock: systemClock }, null).check()).toEqual({
      ready: false,
      checks: { postgres: 'failed', schema: 'failed', partitions: 'failed', temporal: 'degraded', storage: 'degraded' },
      isolation: null,
    });
    expect(hasPartGivenUp).toBe(false);
    storage.close();
    await workflows.close();
    await db.close();
    await givingUp;
  });

  it('is checked once per second, however many ask, and fails at once when the process stops', async () => {
    let checks = 0;
    const check = async (): Promise<void> => {
      checks += 1;
    };
    // Only the checks of these parts are used, and the partitions cannot be read.
    const foundation = { db: { check }, storage: { check }, workflows: { check }, clock: systemClock };
    const readiness = createReadiness(foundation as unknown as Parameters<typeof createReadiness>[0], 'confined');
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    await Promise.all(Array.from({ length: 100 }, () => readiness.check()));
    vi.advanceTimersByTime(999);
    await readiness.check();
    expect(checks).toBe(3);
    vi.advanceTimersByTime(1);
    await readiness.check();
    expect(checks).toBe(6);
    readiness.stop();
    expect(await readiness.check()).toEqual({ ready: false, checks: { process: 'failed' }, isolation: 'confined' });
  });
});
