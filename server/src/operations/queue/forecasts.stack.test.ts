import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import type { Task } from '../../domain/task.ts';
import { retryTask } from '../attempts/retry-task.ts';
import { beginOrThrow, inLanes, operator, useWorld } from '../operations.fixture.ts';
import { setProject } from '../projects/set-project.ts';
import { createForecasts } from './forecasts.ts';
import type { KnownSpeeds } from './known-speeds.ts';

const world = useWorld();

const speed = { samples: 10, renderP50Seconds: 10, renderP90Seconds: 15, totalP50Seconds: 12, totalP90Seconds: 18 };
const measured: Pick<KnownSpeeds, 'find' | 'of'> = {
  find: () => speed,
  of: (model) => (model === 'animatic' ? [{ ...speed, resolution: '480p', durationSeconds: 1 }] : []),
};

/** Returns the accepted tasks in the order in which they wait. */
async function acceptMany(project: Project, count: number, pool = 'animatic'): Promise<Task[]> {
  const tasks: Task[] = [];
  await inLanes(count > 10 ? 10 : 1, count, async () => {
    await world.moveClock(0.001);
    tasks.push(await world.accept(project, { request: { pool } }));
  });
  return tasks.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns the forecasts that a read would show now, from a new snapshot of the queues. */
async function forecastsOf(tasks: readonly Task[], speeds = measured) {
  await sql`delete from queue_snapshot`.execute(world.db.kysely);
  const views = await world.db.taskViews.findMany(tasks.map(({ id }) => id));
  const withForecasts = await createForecasts({ ...world, speeds }).add(views);
  return tasks.map(({ id }) => withForecasts.find(({ task }) => task.id === id)?.forecast);
}

/** Returns the positions of tasks that are read together, which are the same as if each is read by itself. */
async function positionsOf(tasks: readonly Task[]) {
  const positions = (await forecastsOf(tasks)).map((forecast) => forecast?.queuePosition);
  const single = [];
  for (const task of tasks) single.push((await forecastsOf([task]))[0]?.queuePosition);
  expect(single).toEqual(positions);
  return positions;
}

/** Creates a pool with the given number of accepting slots. */
async function newPool(name: string, slots: number): Promise<string> {
  const status = {
    slots,
    isAccepting: true,
    reason: null,
    engine: null,
    version: null,
    models: null,
    latencyMilliseconds: 1,
  };
  await world.db.endpointStates.recordStatus(`endpoint of ${name}`, { pool: name, ...status }, world.clock.now());
  return name;
}

describe('positions', () => {
  it('a position counts the admitted and waiting tasks of the own project, and as many of another as it has', async () => {
    const pool = await newPool('first', 2);
    const [one, other] = [await world.newProject({ runningLimit: 2 }), await world.newProject({ runningLimit: 2 })];
    const mine = await acceptMany(one, 5, pool);
    const theirs = await acceptMany(other, 3, pool);
    expect(await positionsOf(mine)).toEqual([2, 4, 6, 7, 8]);
    expect(await positionsOf(theirs)).toEqual([2, 4, 6]);
    await world.expectCountersToBeRight();
  });

  it('positions are counted per pool and per mode', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const [first] = await acceptMany(project, 3, await newPool('second', 1));
    const [third] = await acceptMany(project, 1, await newPool('third', 1));
    const test = await world.accept(project, { livemode: false, request: { pool: 'fourth' } });
    if (!first || !third) throw new Error('nothing was accepted');
    expect(await positionsOf([first, third, test])).toEqual([1, 1, 1]);
  });

  it('a project at its cap counts its own queue alone, and a retried task comes before those that wait', async () => {
    const pool = await newPool('fifth', 4);
    const [one, other] = [await world.newProject({ runningLimit: 1 }), await world.newProject({ runningLimit: 1 })];
    const [running, next] = await acceptMany(one, 2, pool);
    const [tried, theirs] = await acceptMany(other, 2, pool);
    if (!running || !next || !tried || !theirs) throw new Error('nothing was accepted');
    await beginOrThrow(world, running);
    expect(await positionsOf([running, next])).toEqual([null, 1]);
    const { attempt } = await beginOrThrow(world, tried);
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: false });
    expect(await positionsOf([tried, theirs])).toEqual([1, 3]);
  });

  it('positions are unknown for a suspended project and beyond 1,000', async () => {
    const pool = await newPool('sixth', 1);
    const project = await world.newProject({ runningLimit: 1 });
    const tasks = await acceptMany(project, 1_002, pool);
    const [deepest, deeper] = [tasks[999], tasks[1_001]];
    if (!deepest || !deeper) throw new Error('nothing was accepted');
    expect(await positionsOf([deepest, deeper])).toEqual([1_000, null]);
    await setProject(world, operator, project.id, { isSuspended: true });
    expect(await positionsOf([deepest])).toEqual([null]);
  });
});

describe('the snapshot of the queues', () => {
  /** Reads the forecast of a queued task as another process does. Returns whether that made a snapshot. */
  async function makesSnapshot(task: Task): Promise<boolean> {
    const views = await world.db.taskViews.findMany([task.id]);
    const before = await snapshotTimes();
    const [view] = await createForecasts({ ...world, speeds: measured }).add(views);
    expect(view?.forecast.queuePosition).toBe(1);
    return (await snapshotTimes())?.made_at !== before?.made_at;
  }

  async function snapshotTimes() {
    const result = await sql<{
      made_at: string;
    }>`select made_at::text from queue_snapshot`.execute(world.db.kysely);
    return result.rows[0];
  }

  async function secondsUntilNext(): Promise<number> {
    const result = await sql<{ seconds: number }>`
      select extract(epoch from next_at - made_at)::float8 as seconds from queue_snapshot`.execute(world.db.kysely);
    return result.rows[0]?.seconds ?? 0;
  }

  /** How old the snapshot and its claim are, and when the next is due. What must not be over lies an hour ahead. */
  const setTimes = ({ claimed, made, next }: { claimed: string; made: string; next: string }) =>
    sql`update queue_snapshot set claimed_at = clock_timestamp() + ${claimed}::interval,
      made_at = clock_timestamp() + ${made}::interval, next_at = clock_timestamp() + ${next}::interval`.execute(
      world.db.kysely,
    );

  it('is made by one process and used by all, until the next one is due after 2 to 8 s', async () => {
    const pool = await newPool('shared', 1);
    const [task] = await acceptMany(await world.newProject({ runningLimit: 1 }), 1, pool);
    if (!task) throw new Error('nothing was accepted');
    await sql`delete from queue_snapshot`.execute(world.db.kysely);
    expect(await makesSnapshot(task)).toBe(true);
    expect(await secondsUntilNext()).toBeGreaterThanOrEqual(2);
    expect(await secondsUntilNext()).toBeLessThanOrEqual(8);
    await setTimes({ claimed: '-3 s', made: '0 s', next: '1 h' });
    expect(await makesSnapshot(task)).toBe(false);
    await setTimes({ claimed: '-3 s', made: '-3 s', next: '-1 s' });
    expect(await makesSnapshot(task)).toBe(true);
  });

  it('is made by another process if the one that claimed it dies', async () => {
    const pool = await newPool('orphaned', 1);
    const [task] = await acceptMany(await world.newProject({ runningLimit: 1 }), 1, pool);
    if (!task) throw new Error('nothing was accepted');
    await sql`delete from queue_snapshot`.execute(world.db.kysely);
    expect(await world.db.queueSnapshots.claim()).toBe(true);
    expect(await world.db.queueSnapshots.claim()).toBe(false);
    // There is nothing to read yet, so a reader does not wait for the claim to expire.
    expect(await makesSnapshot(task)).toBe(true);
    await setTimes({ claimed: '1 h', made: '0 s', next: '-1 s' });
    expect(await makesSnapshot(task)).toBe(false);
    await setTimes({ claimed: '1 h', made: '-11 s', next: '-1 s' });
    expect(await makesSnapshot(task)).toBe(true);
    await setTimes({ claimed: '-3 s', made: '0 s', next: '-1 s' });
    expect(await makesSnapshot(task)).toBe(true);
  });

  it('lists projects with equal queues together, and none that may run nothing', async () => {
    const pool = await newPool('grouped', 3);
    for (const settings of [{ weight: 2 }, {}, {}, { runningLimit: 0 }]) {
      await acceptMany(await world.newProject({ runningLimit: 1, ...settings }), 2, pool);
    }
    const pools = await world.db.queueSnapshots.make();
    const grouped = pools.find((queue) => queue.pool === pool);
    expect(grouped).toMatchObject({ inProgress: 0, acceptingSlots: 3 });
    expect(grouped?.contenders.toSorted((one, other) => one.weight - other.weight)).toEqual([
      { weight: 1, waiting: 2, retries: 0, projects: 2 },
      { weight: 2, waiting: 2, retries: 0, projects: 1 },
    ]);
    expect((await world.db.queueSnapshots.read())?.pools).toEqual(pools);
  });
});

describe('expected ends', () => {
  it('an expected end includes the wait for the slots of the pool', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    await newPool('animatic', 2);
    const tasks = await acceptMany(project, 4);
    const ends = (await forecastsOf(tasks)).map((forecast) => secondsFromNow(forecast?.expectedEndAt ?? null));
    // Two slots are free. Each needs 10 s per task, and a task takes 12 s until its video is available.
    expect(ends.map((end) => Math.floor(end))).toEqual([12, 12, 17, 22]);
  });

  it('a running task has an expected end, but not if no speed was measured', async () => {
    const task = await world.accept(await world.newProject());
    await beginOrThrow(world, task);
    await world.moveClock(4);
    const [known] = await forecastsOf([task]);
    const [unknown] = await forecastsOf([task], { find: () => null, of: () => [] });
    expect(Math.floor(secondsFromNow(known?.expectedEndAt ?? null))).toBe(8);
    expect(unknown).toEqual({ queuePosition: null, expectedEndAt: null, isUnserved: false });
  });
});

function secondsFromNow(moment: Date | null): number {
  if (moment === null) throw new Error('there is no estimate');
  return (moment.getTime() - world.clock.now().getTime()) / 1000;
}
