import { expect, it } from 'vitest';
import { openLockSession } from '../db/connection/lock-session.ts';
import { systemClock } from '../domain/clock.ts';
import { useWorld } from '../operations/operations.fixture.ts';
import { gatherRows, ownEndpoint } from './endpoint-owner.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();

it('the rows of 200 endpoints are read and written in few statements', async () => {
  const { db } = world;
  const counted = { reads: 0, statements: 0 };
  const note = (keys: readonly unknown[]): void => {
    counted.reads += keys.length;
    counted.statements += 1;
  };
  const rows = gatherRows({
    clock: systemClock,
    db: {
      ...db,
      leases: { ...db.leases, ofEndpoints: (ids) => (note(ids), db.leases.ofEndpoints(ids)) },
      endpointStates: {
        ...db.endpointStates,
        recordStatuses: (observed) => (note(observed), db.endpointStates.recordStatuses(observed)),
      },
    },
  });
  const locks = openLockSession({ clock: systemClock, databaseUrl: world.url, group: 'many' });
  const parts = { ...world, clock: systemClock, rows, board: new SlotBoard(), holdLock: locks.hold };
  const owners = Array.from({ length: 200 }, (_, index) =>
    ownEndpoint(parts, { id: `gpu-${index}`, pool: 'many', engine: createScriptedEngine() }),
  );
  await expect.poll(async () => (await db.leases.countLeased('seen')).length).toBe(200);
  const { reads, statements } = counted;
  await expect.poll(() => counted.reads - reads).toBeGreaterThan(1_000);
  expect(counted.statements - statements).toBeLessThan(100);
  await Promise.all(owners.map((owner) => owner.close()));
  await locks.close();
});
