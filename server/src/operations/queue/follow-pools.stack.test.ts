import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import { retryTask } from '../attempts/retry-task.ts';
import { beginOrThrow, useWorldPerTest } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { followPools } from './follow-pools.ts';

const world = useWorldPerTest();

/** Records that the endpoints of these pools accept jobs now, and those of the others do not. */
async function probe(accepting: readonly string[]): Promise<void> {
  const unknown = { reason: null, engine: null, version: null, models: null, latencyMilliseconds: 1 };
  for (const pool of ['gone', 'healthy']) {
    const status = { pool, slots: 1, isAccepting: accepting.includes(pool), ...unknown };
    await world.db.endpointStates.recordStatus(`endpoint of ${pool}`, status, world.clock.now());
  }
}

/** Lets time pass, while the relay looks every 10 s and the given pools accept jobs. */
async function pass(seconds: number, accepting: readonly string[]): Promise<void> {
  for (let passed = 0; passed <= seconds; passed += 10) {
    await probe(accepting);
    await followPools(world);
    if (passed === seconds) return;
    await world.moveClock(10);
  }
}

const acceptFor = async (project: Project, pool: string): Promise<Task> => {
  await world.moveClock(0.001);
  return world.accept(project, { request: { pool } });
};

async function admitted(tasks: readonly Task[]): Promise<(boolean | undefined)[]> {
  return Promise.all(tasks.map(async ({ id }) => (await world.db.tasks.find(id))?.counters.isAdmitted));
}

/** Deletes and returns the outbox rows, as Temporal would get them. */
const takeOutbox = () => world.db.kysely.deleteFrom('outbox').returning(['task_id', 'after_completion']).execute();

describe('a pool without an accepting endpoint', () => {
  it('its admitted tasks are given back after 60 s, and tasks for other pools take their places', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    const blocking = [await acceptFor(project, 'gone'), await acceptFor(project, 'gone')];
    const healthy = await acceptFor(project, 'healthy');
    await pass(50, ['healthy']);
    expect(await admitted([...blocking, healthy])).toEqual([true, true, false]);
    await pass(10, ['healthy']);
    expect(await admitted([...blocking, healthy])).toEqual([false, false, true]);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 2 });
    const reasons = await world.db.kysely.selectFrom('open_tasks').select('reason').orderBy('id').execute();
    expect(reasons.map(({ reason }) => reason)).toEqual(['pool_unserved', 'pool_unserved', null]);
    await world.expectCountersToBeRight();
  });

  it('whose endpoints are all drained gives its tasks back at once, and reads say that nobody serves them', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    await probe(['gone', 'healthy']);
    const tasks = [await acceptFor(project, 'gone'), await acceptFor(project, 'healthy')];
    const unserved = async () => (await world.db.queueSnapshots.make()).filter(({ isUnserved }) => isUnserved);
    expect(await unserved()).toEqual([]);
    await world.db.endpointStates.setDrained('endpoint of gone', 'gone', world.clock.now());
    await probe(['healthy']);
    await followPools(world);
    expect(await admitted(tasks)).toEqual([false, true]);
    expect(await unserved()).toMatchObject([{ pool: 'gone' }]);
  });

  it('a task that is accepted for it waits without a slot, and others pass it', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const first = await acceptFor(project, 'gone');
    await pass(60, ['healthy']);
    const tasks = [first, await acceptFor(project, 'gone'), await acceptFor(project, 'healthy')];
    expect(await admitted(tasks)).toEqual([false, false, true]);
    await world.expectCountersToBeRight();
  });

  it('when it is served again its tasks are admitted, oldest first, and started even if their workflows completed', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const tasks = [await acceptFor(project, 'gone'), await acceptFor(project, 'gone')];
    await pass(60, []);
    expect(await admitted(tasks)).toEqual([false, false]);
    await takeOutbox();
    await pass(0, ['gone']);
    expect(await admitted(tasks)).toEqual([true, false]);
    expect(await takeOutbox()).toEqual([{ task_id: uuidFromId('task', tasks[0]?.id ?? ''), after_completion: true }]);
    await cancelTask(world, tasks[0]?.id ?? '');
    expect(await admitted(tasks.slice(1))).toEqual([true]);
    await world.expectCountersToBeRight();
  });

  it('a task that holds a slot of an engine keeps its place, and one that waits for another attempt does not', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    const [running, retried] = [await acceptFor(project, 'gone'), await acceptFor(project, 'gone')];
    await beginOrThrow(world, running);
    const { attempt } = await beginOrThrow(world, retried);
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    await pass(60, []);
    expect(await admitted([running, retried])).toEqual([true, false]);
    await world.expectCountersToBeRight();
  });

  it('a task that was given back does not begin before it is admitted again', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const task = await acceptFor(project, 'gone');
    await pass(60, []);
    expect(await world.begin(task)).toEqual({ kind: 'not-queued' });
    await pass(0, ['gone']);
    expect(await world.begin(task)).toMatchObject({ kind: 'begun' });
    await world.expectCountersToBeRight();
  });

  it('a run of its workflow may end only while the task is not admitted', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const task = await acceptFor(project, 'gone');
    expect(await world.db.openTasks.noteEndedRun(task.id, 'run 1')).toBe(false);
    await pass(60, []);
    expect(await world.db.openTasks.noteEndedRun(task.id, 'run 1')).toBe(true);
    await takeOutbox();
    await pass(0, ['gone']);
    expect(await world.db.openTasks.noteEndedRun(task.id, 'run 1')).toBe(false);
    await world.moveClock(10);
    expect(await world.db.outbox.takeDue(10)).toMatchObject([{ taskId: task.id, endedRun: 'run 1' }]);
    await beginOrThrow(world, task);
    expect(await world.db.outbox.takeDue(10)).toMatchObject([{ taskId: task.id, endedRun: null }]);
  });

  it('a pool that no worker knows counts as unserved, and tasks are admitted as usual while no relay looks', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const unknown = await acceptFor(project, 'never seen');
    await pass(60, []);
    expect(await admitted([unknown])).toEqual([false]);
    await world.moveClock(61);
    const later = await acceptFor(project, 'never seen');
    expect(await admitted([unknown, later])).toEqual([true, false]);
  });

  it('a pool that was served in between is not given up', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const task = await acceptFor(project, 'gone');
    await pass(50, []);
    await pass(0, ['gone']);
    await pass(50, []);
    expect(await admitted([task])).toEqual([true]);
  });
});
