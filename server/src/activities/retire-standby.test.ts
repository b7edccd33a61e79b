import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmptyPostgres } from '../db/connection/empty-postgres.fixture.ts';
import { openLockSession } from '../db/connection/lock-session.ts';
import { systemClock } from '../domain/clock.ts';
import { createLog } from '../telemetry/log.ts';
import { type EndpointOwner, gatherRows, ownEndpoint } from './endpoint-owner.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';

/** A worker that never gets the endpoint's lock, because another one has it. */
async function startStandby(): Promise<EndpointOwner> {
  const postgres = await startEmptyPostgres();
  const locks = openLockSession({ clock: systemClock, databaseUrl: postgres.url, group: 'workers' });
  const db = postgres.connect();
  const owner = ownEndpoint(
    {
      db,
      rows: gatherRows({ db, clock: systemClock }),
      board: new SlotBoard(),
      clock: systemClock,
      log: createLog({ level: 'silent', roles: [] }),
      holdLock: locks.hold,
    },
    { id: 'gpu-1', pool: 'video', engine: createScriptedEngine() },
  );
  onTestFinished(async () => {
    await owner.close();
    await locks.close();
    await postgres[Symbol.asyncDispose]();
  });
  await expect.poll(() => postgres.connections()).toBe(1);
  return owner;
}

// An owner without the lock has nothing to wait for.
describe('a worker that stands by for an endpoint', () => {
  test('a worker that stands by for an endpoint stops when it is closed', async () => {
    const standby = await startStandby();
    await expect(standby.close()).resolves.toBeUndefined();
  });

  test('a worker that stands by for an endpoint stops when the endpoint is retired', async () => {
    const standby = await startStandby();
    await expect(standby.retire()).resolves.toBeUndefined();
  });
});
