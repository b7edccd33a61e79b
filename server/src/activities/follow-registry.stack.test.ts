import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLockSession } from '../db/connection/lock-session.ts';
import { startDatabaseProxy } from '../db/database.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { createRegistry, type Endpoint } from '../engines/registry.ts';
import { freeSlot } from '../operations/attempts/free-slot.ts';
import { beginOrThrow, newPlace, useWorld } from '../operations/operations.fixture.ts';
import { createEngineUses } from './engine-uses.ts';
import { followRegistry } from './follow-registry.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import type { SlotBoard } from './slot-board.ts';

const world = useWorld();

function newEndpoint(pool: string, slots = 1): Endpoint & { engine: ReturnType<typeof createScriptedEngine> } {
  const engine = createScriptedEngine();
  engine.slots = slots;
  return { id: newPlace().endpointId, pool, engine };
}

/** Starts a worker process that follows its configuration. */
function follow(...initial: Endpoint[]) {
  return followThrough(world.url, ...initial);
}

/** Starts one whose lock session has another address, such as a proxy's. */
function followThrough(url: string, ...initial: Endpoint[]) {
  const registry = createRegistry(initial);
  const pools = new Map<string, SlotBoard>();
  const engineUses = createEngineUses();
  const locks = openLockSession({ clock: systemClock, databaseUrl: url, group: 'workers' });
  const followed = followRegistry({ ...world, registry, engineUses, holdLock: locks.hold }, (pool, board) => {
    if (pools.has(pool)) throw new Error('a pool was started twice');
    pools.set(pool, board);
  });
  onTestFinished(async () => {
    await followed.close();
    await locks.close();
  });
  /** Returns how many slots of a pool would be promised now. */
  const offers = (pool: string) => (): number => {
    for (const { id } of registry.endpoints()) followed.maintainEndpoint(id);
    const board = pools.get(pool);
    const permits = [];
    for (let permit = board?.tryReserve(); permit; permit = board?.tryReserve()) permits.push(permit);
    for (const permit of permits) board?.release(permit);
    return permits.length;
  };
  return { registry, pools, engineUses, offers };
}

describe('a worker that follows its configuration', () => {
  it('owns endpoints that are added, and polls for a pool from its first endpoint on', async () => {
    const [one, two, other] = [newEndpoint('fast', 2), newEndpoint('fast', 3), newEndpoint('slow')];
    const { registry, pools, offers } = follow(one);
    expect([...pools.keys()]).toEqual(['fast']);
    await expect.poll(offers('fast')).toBe(2);
    registry.replace([one, two, other]);
    expect([...pools.keys()]).toEqual(['fast', 'slow']);
    await expect.poll(offers('fast')).toBe(5);
    await expect.poll(offers('slow')).toBe(1);
  });

  it('runs the jobs of an endpoint that left to their end, then closes its engine, without effect on other endpoints', async () => {
    const [staying, leaving] = [newEndpoint('fast', 2), newEndpoint('fast', 2)];
    const { registry, offers, engineUses } = follow(staying, leaving);
    await expect.poll(offers('fast')).toBe(4);
    const task = await world.accept(await world.newProject());
    const { attempt } = await beginOrThrow(world, task, { endpointId: leaving.id, slot: 0 });
    const leave = engineUses.enter(leaving.engine);
    registry.replace([staying]);
    expect(offers('fast')()).toBe(2);
    await freeSlot(world, attempt);
    await expect.poll(() => (offers('fast')(), world.db.leases.ofEndpoint(leaving.id))).toMatchObject({ leased: 0 });
    expect(leaving.engine.closes).toBe(0); // its last file is still being fetched
    leave?.();
    await expect.poll(() => (offers('fast')(), leaving.engine.closes)).toBe(1);
    expect(staying.engine.closes).toBe(0);
    expect(offers('fast')()).toBe(2);
  });

  it('begins jobs on a new engine under an old id only after the old engine has no more jobs', async () => {
    const before = newEndpoint('fast', 1);
    const after = { ...newEndpoint('fast', 3), id: before.id };
    const { registry, offers } = follow(before);
    await expect.poll(offers('fast')).toBe(1);
    const task = await world.accept(await world.newProject());
    const { attempt } = await beginOrThrow(world, task, { endpointId: before.id, slot: 0 });
    registry.replace([after]);
    expect(offers('fast')()).toBe(0);
    await freeSlot(world, attempt);
    await expect.poll(offers('fast')).toBe(3);
    await expect.poll(() => before.engine.closes).toBe(1);
  });
});

/** Counts the workers that own at least one endpoint. */
async function countOwners(): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`select count(distinct pid)::int as count from pg_locks
    where locktype = 'advisory' and mode = 'ExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`.execute(world.db.kysely);
  return rows[0]?.count;
}

describe('workers that follow the same configuration', () => {
  it('share its endpoints out, also with one that joins later', async () => {
    const endpoints = Array.from({ length: 6 }, () => newEndpoint('shared'));
    const first = follow(...endpoints);
    await expect.poll(first.offers('shared')).toBe(6);
    const others = [follow(...endpoints), follow(...endpoints)];
    for (const { offers } of [first, ...others]) await expect.poll(offers('shared')).toBe(2);
  });

  it('take over the endpoints of one that falls silent', async () => {
    const { proxy, url } = await startDatabaseProxy(world.url);
    const endpoints = Array.from({ length: 4 }, () => newEndpoint('shared'));
    const [silent, healthy] = [followThrough(url, ...endpoints), follow(...endpoints)];
    for (const { offers } of [silent, healthy]) await expect.poll(offers('shared')).toBe(2);
    await proxy.set('black-hole');
    await expect.poll(healthy.offers('shared')).toBe(4);
    expect(silent.offers('shared')()).toBe(0);
    await proxy.set('pass');
    for (const { offers } of [silent, healthy]) await expect.poll(offers('shared')).toBe(2);
  });

  it('leave a running job with the worker that began it when its endpoint changes hands', async () => {
    const endpoints = [newEndpoint('shared'), newEndpoint('shared')];
    const first = follow(...endpoints);
    await expect.poll(first.offers('shared')).toBe(2);
    const begun = [];
    for (const { id } of endpoints) {
      const task = await world.accept(await world.newProject());
      begun.push(await beginOrThrow(world, task, { endpointId: id, slot: 0 }));
    }
    await expect.poll(first.offers('shared')).toBe(0);
    const second = follow(...endpoints);
    await expect.poll(countOwners).toBe(2);
    for (const { attempt } of begun) expect(await freeSlot(world, attempt)).toBe(true);
    for (const { offers } of [first, second]) await expect.poll(offers('shared')).toBe(1);
  });
});
