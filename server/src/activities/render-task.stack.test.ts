import { randomBytes } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawKey } from '../domain/object-key.ts';
import type { Task } from '../domain/task.ts';
import { createRegistry } from '../engines/registry.ts';
import { createLive } from '../live/live.ts';
import type { Images } from '../media/images.ts';
import { cancelTask } from '../operations/cancel-task.ts';
import { deleteTask } from '../operations/delete-task.ts';
import { createWorld, newPlace, type World } from '../operations/operations.fixture.ts';
import { takeOverAttempt } from '../operations/take-over-attempt.ts';
import { connectTemporal, type TestTemporal } from '../operations/temporal.fixture.ts';
import { createTestStorage, type TestStorage } from '../storage/storage.fixture.ts';
import type { Step } from '../workflows/generate-video.ts';
import { bundleWorkflows, installQuietRuntime } from '../workflows/workflow-runtime.fixture.ts';
import { followActivities, generateActivities } from './render-task.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';
import { createTaskWatch } from './task-watch.ts';

const within = { timeout: 30_000, interval: 50 };

let world: World;
let store: TestStorage;
let temporal: TestTemporal;
let connection: NativeConnection;
let stopWorkflows: () => Promise<void>;

beforeAll(async () => {
  installQuietRuntime();
  [world, store, temporal] = await Promise.all([
    createWorld(),
    createTestStorage(),
    connectTemporal({ hasWorkers: true }),
  ]);
  connection = await NativeConnection.connect({ address: temporal.address });
  const options = { connection, namespace: temporal.namespace };
  const finish = async (): Promise<Step> => 'ended';
  const workers = await Promise.all([
    Worker.create({ ...options, taskQueue: 'workflows', workflowBundle: await bundleWorkflows() }),
    Worker.create({ ...options, taskQueue: 'media', activities: { finish } }),
  ]);
  const running = workers.map((worker) => worker.run());
  stopWorkflows = async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  };
});
afterAll(async () => {
  await stopWorkflows?.();
  await connection?.close();
  await Promise.all([world?.close(), store?.drop(), temporal?.close()]);
});

/** An endpoint with one slot in a pool of its own, and worker processes that come and go. */
async function createPool() {
  const pool = `test-${randomBytes(4).toString('hex')}`;
  const engine = createScriptedEngine();
  const { endpointId } = newPlace();
  await world.db.leases.ensureSlots(endpointId, 1);
  const clock = { now: () => new Date() };
  /** A worker process that renders, or one that only follows. */
  const startWorker = async (activity: 'generate' | 'follow') => {
    const board = new SlotBoard();
    board.refresh(endpointId, true, await world.db.leases.freeSlots(endpointId));
    const watch = createTaskWatch(world);
    const live = createLive({ ...world, clock });
    const parts = {
      ...world,
      clock,
      storage: store.storage,
      images: {} as Images, // no task here has an image
      registry: createRegistry([{ id: endpointId, pool, engine }]),
      board,
      tendEndpoints: () => undefined,
      watch,
      live,
      attemptLimitSeconds: 600,
    };
    const worker = await Worker.create({
      connection,
      namespace: temporal.namespace,
      taskQueue: activity === 'generate' ? `render-${pool}` : `follow-${pool}`,
      activities: activity === 'generate' ? generateActivities(parts) : followActivities(parts),
    });
    const running = worker.run();
    return {
      /** As a deploy does it. */
      stop: async () => {
        worker.shutdown();
        await running;
        watch.close();
        await live.close();
      },
    };
  };
  const start = async (): Promise<Task> => {
    const task = await world.accept(await world.newProject(), { request: { pool } });
    await temporal.client.workflow.start('generateVideo', {
      workflowId: task.id,
      taskQueue: 'workflows',
      args: [{ taskId: task.id, pool }],
    });
    return task;
  };
  return { pool, engine, endpointId, startWorker, start };
}

const takeovers = async (task: Task) => (await world.db.attempts.list(task.id))[0]?.takeovers;

describe('rendering', () => {
  it('survives every worker it had being stopped: the job goes on, submitted once, in the first attempt', async () => {
    const { engine, endpointId, startWorker, start } = await createPool();
    const first = await startWorker('generate');
    const task = await start();
    await expect.poll(() => engine.submitted, within).toEqual([`${task.id}-1`]);
    await first.stop();

    // Followed by one worker after the other, each of them stopped while it follows.
    for (const count of [1, 2]) {
      const follower = await startWorker('follow');
      await expect.poll(() => takeovers(task), within).toBe(count);
      await follower.stop();
    }
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'in_progress', attempt: 1 });
    expect(await world.db.leases.freeSlots(endpointId)).toEqual([]);
    expect(engine.cancelled).toEqual([]);

    const last = await startWorker('follow');
    await expect.poll(() => takeovers(task), within).toBe(3);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await temporal.client.workflow.getHandle(task.id).result();
    expect(engine.submitted).toHaveLength(1);
    expect(await store.storage.head(rawKey(task.id, 1))).not.toBeNull();
    expect(await world.db.leases.freeSlots(endpointId)).toEqual([0]);
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      attempt: 1,
      stage: 'finishing',
      counters: { failedAttempts: 0 },
    });
    await last.stop();
  });

  it('asks the engine to stop within two seconds after the task was cancelled', async () => {
    const { engine, startWorker, start } = await createPool();
    const worker = await startWorker('generate');
    const task = await start();
    await expect.poll(() => engine.submitted, within).toHaveLength(1);
    const before = performance.now();
    await cancelTask(world, task.id);
    await expect.poll(() => engine.cancelled, { ...within, interval: 10 }).toEqual([`${task.id}-1`]);
    expect(performance.now() - before).toBeLessThan(2_500);
    await temporal.client.workflow.getHandle(task.id).result();
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'cancelled' });
    await worker.stop();
  });

  it('goes on as the row says when somebody else has taken the attempt over, and never leaves an open task without a workflow', async () => {
    const { engine, startWorker, start } = await createPool();
    const workers = [await startWorker('generate'), await startWorker('follow')];
    const task = await start();
    await expect.poll(() => engine.submitted, within).toHaveLength(1);
    // A follower that Temporal has long given up wakes and takes over once more.
    await takeOverAttempt(world, task.id);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await temporal.client.workflow.getHandle(task.id).result();
    expect(await store.storage.head(rawKey(task.id, 1))).not.toBeNull();
    expect(await takeovers(task)).toBe(2);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('keeps nothing of a task that is deleted while its output is being stored', async () => {
    const { engine, startWorker, start } = await createPool();
    const worker = await startWorker('generate');
    const task = await start();
    const fetchOutput = engine.fetchOutput.bind(engine);
    engine.fetchOutput = async (operation) => {
      await deleteTask({ ...world, storage: store.storage }, task, task.id);
      return fetchOutput(operation);
    };
    await expect.poll(() => engine.submitted, within).toHaveLength(1);
    engine.jobs.set(`${task.id}-1`, { state: 'succeeded' });
    await temporal.client.workflow.getHandle(task.id).result();
    expect(await store.storage.head(rawKey(task.id, 1))).toBeNull();
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'cancelled', prompt: '' });
    await worker.stop();
  });

  it('submits nothing for a task that was cancelled while it was prepared', async () => {
    const { engine, startWorker, start, endpointId } = await createPool();
    const task = await start();
    // The cancel lands between begin and submit: the lease is committed, the engine has not been asked.
    await sql`create function cancel_on_begin() returns trigger language plpgsql as $$ begin
        update tasks set status = 'cancelled', completed_at = now() where id = new.task_id;
        update attempts set ended_at = now() where task_id = new.task_id;
        return null;
      end $$`.execute(world.db.kysely);
    await sql`create constraint trigger cancel_on_begin after insert on attempts deferrable initially deferred
      for each row execute function cancel_on_begin()`.execute(world.db.kysely);
    const worker = await startWorker('generate');
    await temporal.client.workflow.getHandle(task.id).result();
    await sql`drop trigger cancel_on_begin on attempts`.execute(world.db.kysely);
    expect(engine.submitted).toEqual([]);
    expect(await world.db.leases.draining(endpointId)).toHaveLength(1);
    await worker.stop();
  });
});
