import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { plainProcess } from '../db/attempts/process.fixture.ts';
import { builtInCatalogue, type Catalogue } from '../domain/catalogue.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { animatic } from '../domain/model.ts';
import { rawKey } from '../domain/object-key.ts';
import type { Step } from '../domain/step.ts';
import type { Task } from '../domain/task.ts';
import { createRegistry } from '../engines/registry.ts';
import { OutputInvalid } from '../errors.ts';
import { takeOverAttempt } from '../operations/attempts/take-over-attempt.ts';
import { newPlace, useWorld, type World } from '../operations/operations.fixture.ts';
import { admitTasks } from '../operations/queue/admit-tasks.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { deleteTask } from '../operations/tasks/delete-task.ts';
import { relayOutbox } from '../relay/outbox-relay.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { useTemporalWorkers } from '../workflows/temporal-workers.fixture.ts';
import { renderParts } from './render-parts.fixture.ts';
import { followActivities, generateActivities } from './render-task.ts';
import { createScriptedEngine, type ScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();
const store = useTestStorage();
const temporal = useTemporalWorkers();
let stopWorkflows: () => Promise<void>;

beforeAll(async () => {
  const finish = async (): Promise<Step> => 'ended';
  stopWorkflows = await temporal.runWorkers(
    { taskQueue: 'workflows', workflowBundle: await openWorkflowBundle() },
    { taskQueue: 'media', activities: { finish } },
  );
});
afterAll(() => stopWorkflows?.());

const status = { pool: 'test', slots: 1, isAccepting: true, reason: null, engine: null, version: null, models: null };

/** Sets up endpoints in a new pool, by default with one slot each, and worker processes that start and stop. */
async function createPool({ endpoints = 1, slots = 1, stallSeconds = 60 } = {}) {
  const pool = `test-${randomBytes(4).toString('hex')}`;
  let movedMilliseconds = 0;
  const clock = clockAt(() => new Date(Date.now() + movedMilliseconds));
  const moveClock = (seconds: number): void => {
    movedMilliseconds += seconds * 1000;
  };
  const places = Array.from({ length: endpoints }, () => ({
    id: newPlace().endpointId,
    engine: createScriptedEngine(),
  }));
  const [{ id: endpointId, engine }] = places as [(typeof places)[number]]; // there is at least one
  for (const { id } of places) {
    await world.db.leases.ensureSlots(id, slots);
    await world.db.endpointStates.recordStatus(id, { ...status, latencyMilliseconds: 1 }, clock.now());
  }
  /** Starts a worker process that renders or only follows. By default it knows the pool and owns all its endpoints. */
  const startWorker = async (
    activity: 'generate' | 'follow',
    {
      endpoints = places,
      catalogue = world.catalogue,
      owned = places,
      db = world.db,
      beforeReport,
    }: {
      endpoints?: typeof places;
      catalogue?: () => Catalogue;
      owned?: typeof places;
      db?: World['db'];
      beforeReport?: (step: Step) => Promise<void>;
    } = {},
  ) => {
    const registry = createRegistry(endpoints.map((place) => ({ ...place, pool })));
    let unknownEndpoints = 0;
    const board = new SlotBoard();
    const refresh = async (): Promise<void> => {
      for (const { id } of owned) board.refresh(id, true, (await world.db.leases.ofEndpoint(id)).freeSlots);
    };
    await refresh();
    const { stopParts, ...common } = renderParts(world, store, clock);
    const parts = {
      ...common,
      db,
      catalogue,
      registry: {
        ...registry,
        find: (id: string) => {
          const found = registry.find(id);
          if (!found) unknownEndpoints += 1;
          return found;
        },
      },
      board,
      maintainEndpoint: () => void refresh(),
      stallSeconds,
    };
    const generating = generateActivities(parts);
    const reporting = async (input: { taskId: string }): Promise<Step> => {
      const step = await generating.generate(input);
      await beforeReport?.(step);
      return step;
    };
    const stopWorker = await temporal.runWorkers(
      activity === 'generate'
        ? { taskQueue: `render-${pool}`, activities: { generate: reporting } }
        : { taskQueue: `follow-${pool}`, activities: followActivities(parts) },
    );
    let stopped: Promise<void> | null = null;
    /** Stops the worker as a deploy does. Every worker is stopped after its test. */
    const stop = () => (stopped ??= stopWorker().then(stopParts));
    onTestFinished(stop);
    /** Returns how often it met an endpoint that it does not know. */
    return { unknownEndpoints: () => unknownEndpoints, stop };
  };
  const start = async (options: Parameters<World['accept']>[1] = {}): Promise<Task> => {
    const request = { ...options.request, pool };
    const task = await world.accept(await world.newProject(), { ...options, request });
    await temporal.startTask({ taskId: task.id, pool });
    return task;
  };
  /** Waits until the engine has the n-th job, and returns its id. */
  const job = async (on: ScriptedEngine, count: number): Promise<string> => {
    await expect.poll(() => on.submitted.length).toBe(count);
    return on.submitted[count - 1] ?? '';
  };
  const engines = places.map((place) => place.engine);
  return { pool, places, engine, endpointId, engines, startWorker, start, job, moveClock };
}

const outcomes = async (task: Task) => (await world.db.attempts.list(task.id)).map(({ outcome }) => outcome);
const ended = (task: Task) => temporal.client.workflow.getHandle(task.id).result();
const takeovers = async (task: Task) => (await world.db.attempts.list(task.id))[0]?.takeovers;

describe('rendering', () => {
  it('survives the stop of every worker: the job continues in the first attempt, submitted once', async () => {
    const { engine, endpointId, startWorker, start } = await createPool();
    const first = await startWorker('generate');
    const task = await start();
    await expect.poll(() => engine.submitted).toEqual([`${task.id}-1`]);
    await first.stop();

    // One worker after the other follows the job, and each is stopped while it follows.
    for (const count of [1, 2]) {
      const follower = await startWorker('follow');
      await expect.poll(() => takeovers(task)).toBe(count);
      await follower.stop();
    }
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'in_progress', attempt: 1 });
    expect((await world.db.leases.ofEndpoint(endpointId)).freeSlots).toEqual([]);
    expect(engine.cancelled).toEqual([]);

    await startWorker('follow');
    await expect.poll(() => takeovers(task)).toBe(3);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await ended(task);
    expect(engine.submitted).toHaveLength(1);
    expect(await store.storage.head(rawKey(task.id, 1))).not.toBeNull();
    expect((await world.db.leases.ofEndpoint(endpointId)).freeSlots).toEqual([0]);
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      attempt: 1,
      stage: 'finishing',
      counters: { failedAttempts: 0 },
    });
  });

  it('a task that was given back is not rendered, and its next admission starts it although its workflow has completed', async () => {
    const { pool, engine, startWorker, start } = await createPool();
    const task = await start();
    await world.db.tasks.giveBack([task.id]);
    await world.db.projectSlots.countGivenBack(task, [pool]);
    await startWorker('generate');
    await ended(task);
    expect(engine.submitted).toEqual([]);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', attempt: 1 });

    await world.db.transaction((tables) => admitTasks(tables, task, world.clock.now()));
    const { projectId, id: taskId } = task;
    const again = { kind: 'start', outboxId: '0', taskId, projectId, pool, weight: 1, enter: 'generate' } as const;
    await temporal.workflowsFor(world.db, world.log).start({ ...again, afterCompletion: true });
    await expect.poll(() => engine.submitted).toEqual([`${task.id}-1`]);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await ended(task);
  });

  it('a task that is admitted again while its workflow is about to end gets another run of it', async () => {
    const { pool, engine, startWorker, start } = await createPool();
    const task = await start();
    await world.db.tasks.giveBack([task.id]);
    await world.db.openTasks.explain([task.id], 'pool_unserved');
    await world.db.projectSlots.countGivenBack(task, [pool]);
    const decided = Promise.withResolvers<void>();
    const admitted = Promise.withResolvers<void>();
    onTestFinished(() => admitted.resolve());
    await startWorker('generate', {
      beforeReport: async (step) => {
        if (step !== 'ended') return;
        decided.resolve();
        await admitted.promise;
      },
    });
    await decided.promise;
    await world.db.transaction((tables) => admitTasks(tables, task, world.clock.now()));
    const workflows = temporal.workflowsFor(world.db, world.log);
    await world.moveClock(3);
    await relayOutbox({ ...world, workflows });
    admitted.resolve();
    await expect.poll(() => engine.submitted).toEqual([`${task.id}-1`]);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await ended(task);
  });

  it('tells the engine to stop after the task was cancelled', async () => {
    const { engine, startWorker, start } = await createPool();
    await startWorker('generate');
    const task = await start();
    await expect.poll(() => engine.submitted).toHaveLength(1);
    await cancelTask(world, task.id);
    await expect.poll(() => engine.cancelled).toEqual([`${task.id}-1`]);
    await ended(task);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'cancelled' });
  });

  it('continues as the row says if another worker took the attempt over, and never leaves an open task without a workflow', async () => {
    const { engine, startWorker, start } = await createPool();
    await startWorker('generate');
    await startWorker('follow');
    const task = await start();
    await expect.poll(() => engine.submitted).toHaveLength(1);
    // A follower that Temporal gave up long ago wakes and takes over once more.
    await takeOverAttempt(world, task.id);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await ended(task);
    expect(await store.storage.head(rawKey(task.id, 1))).not.toBeNull();
    expect(await takeovers(task)).toBe(2);
  });

  it('does not count a lost job against its endpoint if another worker has taken the attempt over', async () => {
    const { engine, endpointId, startWorker, start, job } = await createPool();
    await startWorker('generate');
    const task = await start();
    const jobId = await job(engine, 1);
    await takeOverAttempt(world, task.id);
    engine.jobs.delete(jobId);
    const pending = async () => {
      const { raw } = await temporal.client.workflow.getHandle(task.id).describe();
      return raw.pendingActivities?.map(({ activityType }) => activityType?.name);
    };
    await expect.poll(pending).toEqual(['follow']);
    expect(await world.db.endpointStates.find(endpointId)).toMatchObject({ consecutiveFailures: 0 });
    expect(await outcomes(task)).toEqual([null]);
    await cancelTask(world, task.id);
  });

  it('keeps no file of a task that is deleted while its output is being stored', async () => {
    const { engine, startWorker, start } = await createPool();
    await startWorker('generate');
    const task = await start();
    const fetchOutput = engine.fetchOutput.bind(engine);
    engine.fetchOutput = async (operation) => {
      await deleteTask({ ...world, storage: store.storage }, task, task.id);
      return fetchOutput(operation);
    };
    await expect.poll(() => engine.submitted).toHaveLength(1);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await ended(task);
    expect(await store.storage.head(rawKey(task.id, 1))).toBeNull();
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'cancelled', prompt: '' });
  });

  it('does not submit a task that was cancelled while it was prepared', async () => {
    const { engine, startWorker, start, endpointId } = await createPool();
    const task = await start();
    // The cancel arrives between begin and submit: the lease is committed, but the engine has no job yet.
    await sql`create function cancel_on_begin() returns trigger language plpgsql as $$ begin
        update tasks set status = 'cancelled', completed_at = now() where id = new.task_id;
        update attempts set ended_at = now() where task_id = new.task_id;
        return null;
      end $$`.execute(world.db.kysely);
    await sql`create constraint trigger cancel_on_begin after insert on attempts deferrable initially deferred
      for each row execute function cancel_on_begin()`.execute(world.db.kysely);
    await startWorker('generate');
    await ended(task);
    await sql`drop trigger cancel_on_begin on attempts`.execute(world.db.kysely);
    expect(engine.submitted).toEqual([]);
    expect((await world.db.leases.ofEndpoint(endpointId)).draining).toHaveLength(1);
  });

  it('does not submit a task that was cancelled while its process was frozen', async () => {
    const { engine, startWorker, start } = await createPool();
    const task = await start();
    let asked = 0;
    const isHeld: World['db']['attempts']['isHeld'] = async (attempt) => {
      const held = await world.db.attempts.isHeld(attempt);
      asked += 1;
      if (asked > 1) return held;
      await cancelTask(world, task.id);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_100); // blocks the whole process
      return held;
    };
    const db = { ...world.db, attempts: { ...world.db.attempts, isHeld } };
    await startWorker('generate', { db });
    await ended(task);
    expect(asked).toBe(2);
    expect(engine.submitted).toEqual([]);
  });

  it('does not fetch an output that the engine sent by itself', async () => {
    const { engine, startWorker, start, job } = await createPool();
    await startWorker('generate');
    engine.fetchOutput = () => Promise.reject(new Error('there is nothing to fetch'));
    const task = await start();
    const jobId = await job(engine, 1);
    await store.storage.put(rawKey(task.id, 1), Buffer.from('handed over'), 'video/mp4');
    engine.jobs.set(jobId, { state: 'succeeded', isStored: true });
    await ended(task);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ attempt: 1, stage: 'finishing' });
    expect(engine.jobs.has(jobId)).toBe(false);
  });

  it('retries if the engine certainly has no output, and counts the time of its job once', async () => {
    const { engine, startWorker, start, job } = await createPool();
    await startWorker('generate');
    const fetchOutput = engine.fetchOutput.bind(engine);
    engine.fetchOutput = () => Promise.reject(new OutputInvalid('nothing there'));
    const task = await start();
    engine.jobs.set(await job(engine, 1), { state: 'succeeded' });
    const second = await job(engine, 2);
    expect(await outcomes(task)).toEqual(['output_invalid', null]);
    const [first] = await world.db.attempts.list(task.id);
    const seconds = ((first?.slotFreedAt?.getTime() ?? 0) - (first?.beganAt.getTime() ?? 0)) / 1000;
    const spent = (await world.db.tasks.find(task.id))?.engineSeconds;
    expect(spent).toBeCloseTo(seconds, 2);
    engine.fetchOutput = fetchOutput;
    engine.jobs.set(second, { state: 'succeeded' });
    await ended(task);
  });

  it('gives an engine ten minutes to deliver its output, then retries', async () => {
    const { engine, startWorker, start, job, moveClock } = await createPool();
    await startWorker('generate');
    await startWorker('follow');
    let fetches = 0;
    engine.fetchOutput = () => {
      fetches += 1;
      return Promise.reject(new Error('the connection broke'));
    };
    const task = await start();
    engine.jobs.set(await job(engine, 1), { state: 'succeeded' });
    await expect.poll(() => fetches).toBe(2);
    moveClock(590);
    await expect.poll(() => fetches).toBe(3);
    expect(await outcomes(task)).toEqual([null]);
    moveClock(11);
    await expect.poll(() => outcomes(task)).toEqual(['output_invalid', null]);
    await cancelTask(world, task.id);
  });

  it('finishes an output that an earlier holder stored, although the engine has forgotten the job', async () => {
    const { engine, startWorker, start, job } = await createPool();
    await startWorker('generate');
    const task = await start();
    const jobId = await job(engine, 1);
    engine.fetchOutput = async () => {
      await store.storage.put(rawKey(task.id, 1), Buffer.from('stored by another'), 'video/mp4');
      throw new OutputInvalid('nothing there');
    };
    engine.jobs.set(jobId, { state: 'succeeded' });
    await ended(task);
    expect(engine.submitted).toHaveLength(1);
  });

  it('adopts the one job that no attempt names if the response to its submit was lost', async () => {
    const { engine, startWorker, start, job } = await createPool();
    engine.losesResponses = true;
    await startWorker('generate');
    await startWorker('follow');
    const task = await start();
    const jobId = await job(engine, 1);
    await expect.poll(() => takeovers(task)).toBe(1);
    const operation = async () => (await world.db.attempts.find(task.id, 1))?.operation;
    await expect.poll(operation).toEqual({ jobId });
    engine.jobs.set(jobId, { state: 'succeeded' });
    await ended(task);
    expect(engine.submitted).toHaveLength(1);
    expect(await store.storage.head(rawKey(task.id, 1))).not.toBeNull();
  });

  it('retries two tasks whose submits got no response, and gives neither the only job that the engine has', async () => {
    const { engine, startWorker, start, job, moveClock } = await createPool({ slots: 2 });
    engine.losesResponses = true;
    const first = await startWorker('generate');
    const [one, other] = [await start(), await start()];
    await job(engine, 2);
    engine.jobs.delete(`${other.id}-1`); // its submit never arrived
    await first.stop();
    await startWorker('follow');
    await expect.poll(async () => [await takeovers(one), await takeovers(other)]).toEqual([1, 1]);
    moveClock(21);
    for (const task of [one, other]) {
      await expect.poll(() => outcomes(task)).toEqual(['engine_lost']);
      expect(await world.db.attempts.find(task.id, 1)).toMatchObject({ operation: null });
      expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', attempt: 2 });
      await cancelTask(world, task.id);
    }
  });

  it('uses another endpoint after a crash, and counts the failure of the first until a job succeeds there', async () => {
    const { engines, startWorker, start } = await createPool({ endpoints: 2 });
    await startWorker('generate');
    const task = await start();
    await expect.poll(() => engines.flatMap(({ submitted }) => submitted)).toEqual([`${task.id}-1`]);
    const [crashed, other] = engines.toSorted((one, two) => two.submitted.length - one.submitted.length);
    crashed?.jobs.set(`${task.id}-1`, { state: 'failed', code: 'engine_crashed', reason: 'x'.repeat(1000) });
    await expect.poll(() => other?.submitted).toEqual([`${task.id}-2`]);
    const failedId = (await world.db.attempts.find(task.id, 1))?.endpointId ?? '';
    const state = () => world.db.endpointStates.find(failedId);
    expect(await state()).toMatchObject({ consecutiveFailures: 1, lastFailure: 'engine_crashed', trippedUntil: null });
    other?.jobs.set(`${task.id}-2`, { state: 'succeeded' });
    await ended(task);
    expect(await state()).toMatchObject({ consecutiveFailures: 1 }); // the success was at the other endpoint
  });

  it('leaves a retried task for 30 s to workers that have other endpoints, and then uses the failed one again', async () => {
    const { engines, places, startWorker, start, moveClock } = await createPool({ endpoints: 2 });
    await startWorker('generate', { owned: places.slice(0, 1) });
    const [crashed] = engines;
    const task = await start();
    await expect.poll(() => crashed?.submitted).toEqual([`${task.id}-1`]);
    crashed?.jobs.set(`${task.id}-1`, { state: 'failed', code: 'engine_crashed', reason: 'it crashed' });
    await expect.poll(() => outcomes(task)).toEqual(['engine_crashed']);
    // The next task passes it, so by then it has gone back into the queue.
    const next = await start();
    await expect.poll(() => crashed?.submitted).toEqual([`${task.id}-1`, `${next.id}-1`]);
    crashed?.jobs.set(`${next.id}-1`, { state: 'succeeded' });
    moveClock(31);
    await expect.poll(() => crashed?.submitted.at(-1)).toBe(`${task.id}-2`);
    crashed?.jobs.set(`${task.id}-2`, { state: 'succeeded' });
    await Promise.all([ended(task), ended(next)]);
  });

  it('ends a stalled attempt, tells the engine to stop, and counts a failure of the endpoint', async () => {
    const { engine, endpointId, startWorker, start, job } = await createPool({ stallSeconds: 1 });
    const worker = await startWorker('generate');
    const task = await start();
    const jobId = await job(engine, 1);
    await expect.poll(() => engine.cancelled).toContain(jobId);
    await expect.poll(() => outcomes(task)).toEqual(['generation_stalled']);
    const failure = { consecutiveFailures: 1, lastFailure: 'generation_stalled' };
    expect(await world.db.endpointStates.find(endpointId)).toMatchObject(failure);
    await worker.stop();
    await cancelTask(world, task.id);
  });

  it('does not count a failure of the endpoint that a test prompt forces', async () => {
    const { engine, endpointId, startWorker, start, job } = await createPool();
    await startWorker('generate');
    const task = await start({ livemode: false, request: { prompt: '[[fail:engine_crashed]] waves' } });
    for (const count of [1, 2, 3]) {
      engine.jobs.set(await job(engine, count), { state: 'failed', code: 'engine_crashed', reason: 'forced' });
    }
    await ended(task);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'failed', attempt: 3 });
    expect(await world.db.endpointStates.find(endpointId)).toMatchObject({ consecutiveFailures: 0, lastFailure: null });
  });

  it('frees the slot at once if the engine rejects the output', async () => {
    const { engine, endpointId, startWorker, start, job } = await createPool();
    await startWorker('generate');
    const task = await start();
    engine.jobs.set(await job(engine, 1), { state: 'failed', code: 'output_rejected', reason: 'unsafe' });
    await ended(task);
    const error = { code: 'output_rejected', stage: 'rendering' };
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'failed', error });
    expect((await world.db.leases.ofEndpoint(endpointId)).freeSlots).toEqual([0]);
  });
});

describe('processes whose models files differ for a while', () => {
  it('leave a job on an endpoint that only one worker knows to that worker', async () => {
    const { engine, startWorker, start, job } = await createPool();
    const first = await startWorker('generate');
    const task = await start();
    const jobId = await job(engine, 1);
    await first.stop();
    const stale = await startWorker('follow', { endpoints: [] });
    await expect.poll(stale.unknownEndpoints).toBeGreaterThan(0);
    await stale.stop();
    await startWorker('follow');
    engine.jobs.set(jobId, { state: 'succeeded' });
    await ended(task);
    expect(await takeovers(task)).toBe(1);
    expect(await outcomes(task)).toHaveLength(1);
    expect([engine.submitted, engine.cancelled]).toEqual([[jobId], []]);
  });

  it.each([
    ['nobody has seen for a minute', 61],
    ['this worker has missed for ten minutes', 601],
  ])('give up a job on an endpoint that %s', async (_reason, seconds) => {
    const { engine, endpointId, startWorker, start, job, moveClock } = await createPool();
    const first = await startWorker('generate');
    const task = await start();
    await job(engine, 1);
    await first.stop();
    const stale = await startWorker('follow', { endpoints: [] });
    await expect.poll(stale.unknownEndpoints).toBeGreaterThan(1); // so its first try has ended
    if (seconds > 600) await reportFile({ endpoints: [endpointId] });
    moveClock(seconds);
    await sql`update endpoint_states set seen_at = seen_at - make_interval(secs => ${seconds})
      where endpoint_id = ${endpointId}`.execute(world.db.kysely);
    await expect.poll(() => outcomes(task)).toEqual(['engine_lost']);
    await stale.stop();
    await cancelTask(world, task.id);
  });

  it('leave a task of a model that is new to one worker to another worker', async () => {
    const { engine, startWorker, start, job } = await createPool();
    const model = { ...animatic, id: 'new-model' };
    await reportFile({ models: [model.id] });
    let hasMissed = false;
    const stale = await startWorker('generate', {
      catalogue: () => {
        hasMissed = true;
        return builtInCatalogue;
      },
    });
    const task = await start({ request: { model: model.id } });
    await expect.poll(() => hasMissed).toBe(true);
    await stale.stop();
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', attempt: 1 });
    await startWorker('follow');
    await startWorker('generate', { catalogue: () => ({ models: [model] }) });
    await job(engine, 1);
    await cancelTask(world, task.id);
  });

  it('fail a task of a model that no process knows', async () => {
    const { startWorker, start } = await createPool();
    await startWorker('generate');
    const task = await start({ request: { model: 'removed-model' } });
    await ended(task);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ error: { code: 'engine_unavailable' } });
  });
});

/** Reports the models file of another process. */
async function reportFile(file: { models?: string[]; endpoints?: string[] }): Promise<void> {
  await world.db.processes.report({
    ...plainProcess(),
    fingerprint: 'a newer file',
    models: [],
    endpoints: [],
    ...file,
  });
}
