import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { holdAdvisoryLock } from '../db/advisory-lock.ts';
import { beginAttempt } from '../operations/attempts/begin-attempt.ts';
import { freeSlot } from '../operations/attempts/free-slot.ts';
import { noteEndpointOutcome } from '../operations/attempts/note-endpoint-outcome.ts';
import { beginOrThrow, createWorld, newPlace, type World } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { ownEndpoint } from './endpoint-owner.ts';
import { createScriptedEngine, type ScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

const within = { timeout: 10_000, interval: 20 };

/** A worker process that would own the endpoint. */
function own(endpointId: string, engine: ScriptedEngine) {
  const board = new SlotBoard();
  const owner = ownEndpoint(
    {
      ...world,
      board,
      holdLock: (name, listeners) => holdAdvisoryLock({ databaseUrl: world.url, name, ...listeners }),
    },
    { id: endpointId, pool: 'scripted', engine },
  );
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await owner.close();
    isClosed = true;
  };
  onTestFinished(close);
  /** How many slots the board would promise now. */
  const offers = (): number => {
    owner.maintainSoon();
    const permits = [];
    for (let permit = board.tryReserve(); permit; permit = board.tryReserve()) permits.push(permit);
    for (const permit of permits) board.release(permit);
    return permits.length;
  };
  return { board, offers, close, maintainSoon: () => owner.maintainSoon(), retire: () => owner.retire() };
}

const stateOf = (endpointId: string) => world.db.endpointStates.find(endpointId);

/** An owned endpoint with one slot that a cancelled task has left behind. */
async function drainingEndpoint(cancelOutcome: ScriptedEngine['cancelOutcome'] = 'unsupported') {
  const engine = createScriptedEngine();
  engine.cancelOutcome = cancelOutcome;
  const place = newPlace();
  const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
  engine.jobs.set(attempt.engineJobId, { state: 'running', progress: 1 });
  await cancelTask(world, task.id);
  const owner = own(place.endpointId, engine);
  const looked = async (): Promise<void> => {
    const before = engine.cancelled.length;
    const looks = (): number => {
      owner.maintainSoon();
      return engine.cancelled.length;
    };
    await expect.poll(looks, within).toBeGreaterThan(before + 1); // the second began after the first had ended
  };
  await expect.poll(() => engine.cancelled.length, within).toBeGreaterThan(0);
  return {
    engine,
    owner,
    looked,
    jobId: attempt.engineJobId,
    freeSlots: async () => (await world.db.leases.ofEndpoint(place.endpointId)).freeSlots,
  };
}

describe('the owner of an endpoint', () => {
  it('offers its slots; nobody else does until it is gone', async () => {
    const engine = createScriptedEngine();
    engine.slots = 3;
    const { endpointId } = newPlace();
    const first = own(endpointId, engine);
    await expect.poll(first.offers, within).toBe(3);
    const second = own(endpointId, engine);
    const elsewhere = own(newPlace().endpointId, engine);
    await expect.poll(elsewhere.offers, within).toBe(3); // so the second has asked for its lock by now, too
    expect(second.offers()).toBe(0);
    await first.close();
    expect(first.offers()).toBe(0);
    await expect.poll(second.offers, within).toBe(3);
  });

  it('offers nothing while the engine is down, and only the slots it comes back with', async () => {
    const engine = createScriptedEngine();
    engine.slots = 3;
    const { offers } = own(newPlace().endpointId, engine);
    await expect.poll(offers, within).toBe(3);
    engine.isUp = false;
    await expect.poll(offers, within).toBe(0);
    engine.slots = 2;
    engine.isUp = true;
    await expect.poll(offers, within).toBe(2);
  });

  it('loses its slots with the lock, and has them again with it', async () => {
    const { offers, board } = own(newPlace().endpointId, createScriptedEngine());
    await expect.poll(offers, within).toBe(1);
    let wasGone = false;
    const remove = board.remove.bind(board);
    board.remove = (id) => {
      wasGone = true;
      remove(id);
    };
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
      and application_name = 'kinora-lock'`.execute(world.db.kysely);
    await expect.poll(() => wasGone, within).toBe(true);
    await expect.poll(offers, within).toBe(1);
  });

  it('leaves the slot of a task in progress alone, however silent its holder is', async () => {
    const engine = createScriptedEngine();
    const place = newPlace();
    await beginOrThrow(world, await world.accept(await world.newProject()), place);
    world.moveClock(3600);
    const { offers } = own(place.endpointId, engine);
    engine.slots = 2;
    await expect.poll(offers, within).toBe(1); // the second slot only
    expect(engine.cancelled).toEqual([]);
  });

  it('frees the slot of a cancelled task at once when the engine has stopped the job', async () => {
    const { owner } = await drainingEndpoint('stopped');
    await expect.poll(owner.offers, within).toBe(1);
  });

  it('keeps the slot for as long as a job runs that cannot be stopped, and repeats the cancel', async () => {
    const { engine, looked, owner, jobId, freeSlots } = await drainingEndpoint();
    await looked();
    world.moveClock(3600);
    await looked();
    expect(await freeSlots()).toEqual([]);
    engine.jobs.set(jobId, { state: 'succeeded' });
    await expect.poll(owner.offers, within).toBe(1);
    expect(engine.jobs.has(jobId)).toBe(false); // and its files at the engine are gone
  });

  it('frees the slot of a job that the engine does not know only after 20 seconds of that', async () => {
    const { engine, looked, owner, jobId, freeSlots } = await drainingEndpoint('forgotten');
    engine.jobs.delete(jobId);
    await looked();
    world.moveClock(19);
    await looked();
    expect(await freeSlots()).toEqual([]);
    engine.jobs.set(jobId, { state: 'running', progress: null }); // a submit that came late
    await looked();
    engine.jobs.delete(jobId);
    await looked();
    world.moveClock(19);
    await looked();
    expect(await freeSlots()).toEqual([]);
    world.moveClock(1);
    await expect.poll(owner.offers, within).toBe(1);
  });

  it('keeps the slot while the engine cannot be reached: nobody can say whether the job runs', async () => {
    const { engine, owner, freeSlots } = await drainingEndpoint();
    engine.isUp = false;
    await expect.poll(owner.offers, within).toBe(0);
    world.moveClock(3600);
    expect(await freeSlots()).toEqual([]);
    engine.isUp = true;
    engine.cancelOutcome = 'stopped';
    await expect.poll(owner.offers, within).toBe(1);
  });

  it('writes down what it sees of the endpoint, and why it gets no jobs', async () => {
    const engine = createScriptedEngine();
    const { endpointId } = newPlace();
    const { maintainSoon } = own(endpointId, engine);
    await expect
      .poll(() => stateOf(endpointId), within)
      .toMatchObject({
        pool: 'scripted',
        slots: 1,
        isAccepting: true,
        reason: null,
        engine: 'scripted',
        version: '1',
        seenAt: world.clock.now(),
      });
    engine.isUp = false;
    maintainSoon();
    await expect.poll(() => stateOf(endpointId), within).toMatchObject({ isAccepting: false, reason: 'it is down' });
  });

  it('offers nothing while the engine is not what the models file says, and its slots when it is', async () => {
    const engine = createScriptedEngine();
    engine.problems = ['It serves another model.'];
    const { endpointId } = newPlace();
    const { offers } = own(endpointId, engine);
    await expect.poll(() => stateOf(endpointId), within).toMatchObject({ reason: 'It serves another model.' });
    expect(offers()).toBe(0);
    engine.problems = [];
    engine.isUp = false; // restarted with the right model
    await expect.poll(() => (offers(), stateOf(endpointId)), within).toMatchObject({ reason: 'it is down' });
    engine.isUp = true;
    await expect.poll(offers, within).toBe(1);
  });

  it('offers nothing while an operator has drained it', async () => {
    const { endpointId } = newPlace();
    const { offers } = own(endpointId, createScriptedEngine());
    await expect.poll(offers, within).toBe(1);
    await world.db.endpointStates.setDrained(endpointId, 'scripted', world.clock.now());
    await expect.poll(offers, within).toBe(0);
    await world.db.endpointStates.setDrained(endpointId, 'scripted', null);
    await expect.poll(offers, within).toBe(1);
  });

  it('offers nothing while the breaker is closed, then one job at a time until one succeeds', async () => {
    const engine = createScriptedEngine();
    engine.slots = 3;
    const place = newPlace();
    const { endpointId } = place;
    const { offers } = own(endpointId, engine);
    await expect.poll(offers, within).toBe(3);
    for (const _ of [1, 2]) {
      world.moveClock(1);
      const attempt = { endpointId, beganAt: world.clock.now() };
      world.moveClock(1);
      await noteEndpointOutcome(world, attempt, 'engine_crashed');
    }
    await expect.poll(offers, within).toBe(0);
    world.moveClock(31);
    engine.isUp = false; // the probe must pass before it is tried again
    await expect.poll(() => (offers(), stateOf(endpointId)), within).toMatchObject({ reason: 'it is down' });
    expect(offers()).toBe(0);
    engine.isUp = true;
    await expect.poll(offers, within).toBe(1);
    const { attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    await expect.poll(offers, within).toBe(0);
    await noteEndpointOutcome(world, attempt, 'succeeded');
    await expect.poll(offers, within).toBe(2);
  });

  it('keeps the slot of a job that nobody can name for as long as the engine may compute it', async () => {
    const engine = createScriptedEngine();
    engine.losesResponses = true;
    engine.cancelOutcome = 'unsupported';
    const place = newPlace();
    await world.db.leases.ensureSlots(place.endpointId, 1);
    const task = await world.accept(await world.newProject());
    await beginAttempt(world, task, { ...place, operationFor: () => null });
    engine.jobs.set('an id of its own', { state: 'running', progress: null });
    await cancelTask(world, task.id);
    const { maintainSoon } = own(place.endpointId, engine);
    await expect.poll(() => engine.cancelled.length, within).toBeGreaterThan(0);
    world.moveClock(3600);
    const before = engine.cancelled.length;
    await expect.poll(() => (maintainSoon(), engine.cancelled.length), within).toBeGreaterThan(before + 1);
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([]);
    engine.jobs.set('an id of its own', { state: 'succeeded' });
    await expect
      .poll(() => (maintainSoon(), world.db.leases.ofEndpoint(place.endpointId)), within)
      .toMatchObject({ freeSlots: [0] });
  });

  it('that is retired begins nothing more, and is gone when its last job is', async () => {
    const engine = createScriptedEngine();
    engine.slots = 2;
    const place = newPlace();
    const { offers, retire } = own(place.endpointId, engine);
    await expect.poll(offers, within).toBe(2);
    const { attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    let isGone = false;
    const retired = retire().then(() => {
      isGone = true;
    });
    expect(offers()).toBe(0);
    const reason = 'it has left the models file';
    await expect.poll(() => stateOf(place.endpointId), within).toMatchObject({ isAccepting: false, reason });
    expect(isGone).toBe(false);
    await freeSlot(world, attempt);
    await expect.poll(() => (offers(), isGone), within).toBe(true);
    await retired;
    const successor = own(place.endpointId, engine);
    await expect.poll(successor.offers, within).toBe(2);
  });
});
