import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLockSession } from '../db/connection/lock-session.ts';
import { systemClock } from '../domain/clock.ts';
import { uuidFromId } from '../domain/id.ts';
import { beginAttempt } from '../operations/attempts/begin-attempt.ts';
import { freeSlot } from '../operations/attempts/free-slot.ts';
import { noteEndpointOutcome } from '../operations/attempts/note-endpoint-outcome.ts';
import { beginOrThrow, newPlace, useWorld } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { gatherRows, ownEndpoint } from './endpoint-owner.ts';
import { createScriptedEngine, type ScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();

/** Starts a worker process that tries to own the endpoint. */
function own(endpointId: string, engine: ScriptedEngine) {
  const board = new SlotBoard();
  const locks = openLockSession({ clock: systemClock, databaseUrl: world.url, group: endpointId });
  const owner = ownEndpoint(
    { ...world, rows: gatherRows(world), board, holdLock: locks.hold },
    { id: endpointId, pool: 'scripted', engine },
  );
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await owner.close();
    await locks.close();
  };
  onTestFinished(close);
  /** Returns how many slots the board would promise now. */
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

/** Returns an owned endpoint with one slot that drains after a cancelled task. */
async function drainingEndpoint(cancelOutcome: ScriptedEngine['cancelOutcome'] = 'unsupported') {
  const engine = createScriptedEngine();
  engine.cancelOutcome = cancelOutcome;
  const place = newPlace();
  const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
  engine.jobs.set(attempt.engineJobId, { state: 'running', progress: 1 });
  await cancelTask(world, task.id);
  const owner = own(place.endpointId, engine);
  const roundDone = async (): Promise<void> => {
    const before = engine.cancelled.length;
    const rounds = (): number => {
      owner.maintainSoon();
      return engine.cancelled.length;
    };
    await expect.poll(rounds).toBeGreaterThan(before + 1); // the second round began after the first had ended
  };
  await expect.poll(() => engine.cancelled.length).toBeGreaterThan(0);
  return {
    engine,
    owner,
    roundDone,
    jobId: attempt.engineJobId,
    freeSlots: async () => (await world.db.leases.ofEndpoint(place.endpointId)).freeSlots,
  };
}

describe('the owner of an endpoint', () => {
  it('offers its slots, and no other worker does until the owner closes', async () => {
    const engine = createScriptedEngine();
    engine.slots = 3;
    const { endpointId } = newPlace();
    const first = own(endpointId, engine);
    await expect.poll(first.offers).toBe(3);
    const second = own(endpointId, engine);
    const elsewhere = own(newPlace().endpointId, engine);
    await expect.poll(elsewhere.offers).toBe(3); // so by now the second worker has tried to get its lock, too
    expect(second.offers()).toBe(0);
    await first.close();
    expect(first.offers()).toBe(0);
    await expect.poll(second.offers).toBe(3);
  });

  it('offers nothing while the engine is down, and then only the slots that the engine comes back with', async () => {
    const engine = createScriptedEngine();
    engine.slots = 3;
    const { offers } = own(newPlace().endpointId, engine);
    await expect.poll(offers).toBe(3);
    engine.isUp = false;
    await expect.poll(offers).toBe(0);
    engine.slots = 2;
    engine.isUp = true;
    await expect.poll(offers).toBe(2);
  });

  it('offers its slots again if their rows were deleted while it seemed to have left', async () => {
    const { endpointId } = newPlace();
    const { offers } = own(endpointId, createScriptedEngine());
    await expect.poll(offers).toBe(1);
    await sql`delete from leases where endpoint_id = ${endpointId}`.execute(world.db.kysely);
    const slotsLeft = async () => (await world.db.leases.ofEndpoint(endpointId)).freeSlots;
    await expect.poll(async () => [await slotsLeft(), offers()]).toEqual([[0], 1]);
  });

  it('stops offering its slots when it loses the lock, and offers them again with the lock', async () => {
    const { offers, board } = own(newPlace().endpointId, createScriptedEngine());
    await expect.poll(offers).toBe(1);
    let wasGone = false;
    const remove = board.remove.bind(board);
    board.remove = (id) => {
      wasGone = true;
      remove(id);
    };
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
      and application_name = 'kinora-lock'`.execute(world.db.kysely);
    await expect.poll(() => wasGone).toBe(true);
    await expect.poll(offers).toBe(1);
  });

  it('leaves the slot of a task in progress alone, however silent its holder is', async () => {
    const engine = createScriptedEngine();
    const place = newPlace();
    await beginOrThrow(world, await world.accept(await world.newProject()), place);
    await world.moveClock(3600);
    const { offers } = own(place.endpointId, engine);
    engine.slots = 2;
    await expect.poll(offers).toBe(1); // the second slot only
    expect(engine.cancelled).toEqual([]);
  });

  it('frees the slot of a cancelled task as soon as the engine has stopped the job', async () => {
    const { owner } = await drainingEndpoint('stopped');
    await expect.poll(owner.offers).toBe(1);
  });

  it('keeps the slot taken while a job runs that cannot be stopped, and repeats the cancel', async () => {
    const { engine, roundDone, owner, jobId, freeSlots } = await drainingEndpoint();
    await roundDone();
    await world.moveClock(3600);
    await roundDone();
    expect(await freeSlots()).toEqual([]);
    engine.jobs.set(jobId, { state: 'succeeded' });
    await expect.poll(owner.offers).toBe(1);
    expect(engine.jobs.has(jobId)).toBe(false); // and its files at the engine are deleted
  });

  it('frees the slot of a job only after the engine has not known the job for 20 seconds', async () => {
    const { engine, roundDone, owner, jobId, freeSlots } = await drainingEndpoint('forgotten');
    engine.jobs.delete(jobId);
    await roundDone();
    await world.moveClock(19);
    await roundDone();
    expect(await freeSlots()).toEqual([]);
    engine.jobs.set(jobId, { state: 'running', progress: null }); // a submit that arrived late
    await roundDone();
    engine.jobs.delete(jobId);
    await roundDone();
    await world.moveClock(19);
    await roundDone();
    expect(await freeSlots()).toEqual([]);
    await world.moveClock(1);
    await expect.poll(owner.offers).toBe(1);
  });

  it('keeps the slot taken while the engine is unreachable, because the job may still run', async () => {
    const { engine, owner, freeSlots } = await drainingEndpoint();
    engine.isUp = false;
    await expect.poll(owner.offers).toBe(0);
    await world.moveClock(3600);
    expect(await freeSlots()).toEqual([]);
    engine.isUp = true;
    engine.cancelOutcome = 'stopped';
    await expect.poll(owner.offers).toBe(1);
  });

  it('stores the status of the endpoint, and why it gets no jobs', async () => {
    const engine = createScriptedEngine();
    const { endpointId } = newPlace();
    const { maintainSoon } = own(endpointId, engine);
    await expect
      .poll(() => stateOf(endpointId))
      .toMatchObject({
        pool: 'scripted',
        slots: 1,
        isAccepting: true,
        reason: null,
        engine: 'scripted',
        version: '1',
        seenAt: expect.any(Date),
      });
    engine.isUp = false;
    maintainSoon();
    await expect.poll(() => stateOf(endpointId)).toMatchObject({ isAccepting: false, reason: 'it is down' });
  });

  it('offers nothing while the engine disagrees with the models file, and its slots once it agrees', async () => {
    const engine = createScriptedEngine();
    engine.problems = ['It serves another model.'];
    const { endpointId } = newPlace();
    const { offers } = own(endpointId, engine);
    await expect.poll(() => stateOf(endpointId)).toMatchObject({ reason: 'It serves another model.' });
    expect(offers()).toBe(0);
    engine.problems = [];
    engine.isUp = false; // restarted with the right model
    await expect.poll(() => (offers(), stateOf(endpointId))).toMatchObject({ reason: 'it is down' });
    engine.isUp = true;
    await expect.poll(offers).toBe(1);
  });

  it('offers nothing while an operator has drained it', async () => {
    const { endpointId } = newPlace();
    const { offers } = own(endpointId, createScriptedEngine());
    await expect.poll(offers).toBe(1);
    await world.db.endpointStates.setDrained(endpointId, 'scripted', world.clock.now());
    await expect.poll(offers).toBe(0);
    await world.db.endpointStates.setDrained(endpointId, 'scripted', null);
    await expect.poll(offers).toBe(1);
  });

  it('offers nothing while the breaker is tripped, then one slot at a time until a job succeeds', async () => {
    const engine = createScriptedEngine();
    engine.slots = 3;
    const place = newPlace();
    const { endpointId } = place;
    const { offers } = own(endpointId, engine);
    await expect.poll(offers).toBe(3);
    for (const _ of [1, 2]) {
      await world.moveClock(1);
      const attempt = { endpointId, beganAt: world.clock.now() };
      await world.moveClock(1);
      await noteEndpointOutcome(world, attempt, 'engine_crashed');
    }
    await expect.poll(offers).toBe(0);
    await world.moveClock(31);
    engine.isUp = false; // the probe must pass before another job is tried
    await expect.poll(() => (offers(), stateOf(endpointId))).toMatchObject({ reason: 'it is down' });
    expect(offers()).toBe(0);
    engine.isUp = true;
    await expect.poll(offers).toBe(1);
    const { attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    await expect.poll(offers).toBe(0);
    await noteEndpointOutcome(world, attempt, 'succeeded');
    await expect.poll(offers).toBe(2);
  });

  it('keeps the slot of a job without a known id taken for as long as the engine may compute it', async () => {
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
    await expect.poll(() => engine.cancelled.length).toBeGreaterThan(0);
    await world.moveClock(3600);
    const before = engine.cancelled.length;
    await expect.poll(() => (maintainSoon(), engine.cancelled.length)).toBeGreaterThan(before + 1);
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([]);
    engine.jobs.set('an id of its own', { state: 'succeeded' });
    await expect
      .poll(() => (maintainSoon(), world.db.leases.ofEndpoint(place.endpointId)))
      .toMatchObject({ freeSlots: [0] });
  });

  it('does not stop a job without a known id that may belong to a task in another slot', async () => {
    const engine = createScriptedEngine();
    engine.losesResponses = true;
    const { endpointId } = newPlace();
    await world.db.leases.ensureSlots(endpointId, 2);
    const [drained, rendering] = [
      await world.accept(await world.newProject()),
      await world.accept(await world.newProject()),
    ];
    for (const [slot, task] of [drained, rendering].entries()) {
      await beginAttempt(world, task, { endpointId, slot, operationFor: () => null });
    }
    engine.jobs.set('an id of its own', { state: 'running', progress: null });
    await cancelTask(world, drained.id);
    const { maintainSoon } = own(endpointId, engine);
    await expect.poll(() => (maintainSoon(), engine.polls)).toBeGreaterThan(2);
    expect(engine.cancelled).toEqual([]);
    expect((await world.db.leases.ofEndpoint(endpointId)).freeSlots).toEqual([]);
  });

  it('frees a slot whose task and attempt were dropped, after the engine has not known the job for 20 seconds', async () => {
    const place = newPlace();
    const engine = createScriptedEngine();
    engine.cancelOutcome = 'forgotten';
    const { task } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    const taskUuid = uuidFromId('task', task.id);
    await sql`delete from attempts where task_id = ${taskUuid}`.execute(world.db.kysely);
    await sql`delete from tasks where id = ${taskUuid}`.execute(world.db.kysely);
    const { offers } = own(place.endpointId, engine);
    const unknownSince = async () => (
      offers(), (await world.db.leases.ofEndpoint(place.endpointId)).draining[0]?.unknownSince
    );
    await expect.poll(unknownSince).toEqual(world.clock.now());
    expect(engine.cancelled).toContain(`${task.id}-1`);
    await world.moveClock(20);
    await expect.poll(offers).toBe(1);
  });

  it('an owner that is retired begins no more jobs, and ends once its last job has ended', async () => {
    const engine = createScriptedEngine();
    engine.slots = 2;
    const place = newPlace();
    const { offers, retire } = own(place.endpointId, engine);
    await expect.poll(offers).toBe(2);
    const { attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    let isGone = false;
    const retired = retire().then(() => {
      isGone = true;
    });
    expect(offers()).toBe(0);
    const reason = 'it has left the models file';
    await expect.poll(() => stateOf(place.endpointId)).toMatchObject({ isAccepting: false, reason });
    expect(isGone).toBe(false);
    await freeSlot(world, attempt);
    await expect.poll(() => (offers(), isGone)).toBe(true);
    await retired;
    const successor = own(place.endpointId, engine);
    await expect.poll(successor.offers).toBe(2);
  });
});
