import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import type { Task } from '../../domain/task.ts';
import { beginOrThrow, newPlace, useWorld } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { retryTask } from './retry-task.ts';

const world = useWorld();
let project: Project;
beforeAll(async () => {
  project = await world.newProject({ runningLimit: 1000 });
});

type Outcome = Parameters<typeof retryTask>[2]['outcome'];

/** Runs one attempt that ends without a video. */
async function tryInVain(task: Task, outcome: Outcome, isJobOver = true) {
  const queued = await world.db.tasks.find(task.id);
  if (!queued) throw new Error('the task was not found');
  const place = newPlace();
  const { attempt } = await beginOrThrow(world, queued, place);
  await world.moveClock(2);
  const next = await retryTask(world, attempt, { outcome, stage: 'rendering', isJobOver });
  return { next, place, attempt };
}

describe('retrying a task', () => {
  it('a retry queues the task with the next attempt number and keeps its project slot', async () => {
    const own = await world.newProject({ runningLimit: 1 });
    const task = await world.accept(own);
    await world.moveClock(0.001);
    await world.accept(own);
    const { next, place } = await tryInVain(task, 'engine_crashed');
    expect(next).toBe('retry');
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      status: 'queued',
      attempt: 2,
      engineSeconds: 2,
      counters: { isAdmitted: true, failedAttempts: 1 },
    });
    expect(await world.slotsOf(own)).toMatchObject({ running: 1, waiting: 1 });
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([0]);
  });

  it('the third failure fails the task with the code of that failure', async () => {
    const task = await world.accept(project);
    const outcomes: Outcome[] = ['engine_crashed', 'engine_lost', 'output_invalid'];
    const next = [];
    for (const outcome of outcomes) next.push((await tryInVain(task, outcome)).next);
    expect(next).toEqual(['retry', 'retry', 'ended']);
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      status: 'failed',
      error: { code: 'output_invalid', stage: 'rendering' },
      attempt: 3,
      engineSeconds: 6,
    });
    expect((await world.db.attempts.list(task.id)).map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('refusals do not count towards the three attempts', async () => {
    const task = await world.accept(project);
    const outcomes: Outcome[] = [
      'refused',
      'engine_lost',
      'refused',
      'refused',
      'engine_lost',
      'refused',
      'engine_lost',
    ];
    const next = [];
    for (const outcome of outcomes) next.push((await tryInVain(task, outcome)).next);
    expect(next).toEqual([...Array.from({ length: 6 }, () => 'retry'), 'ended']);
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_lost' },
      attempt: 7,
    });
  });

  it('ten refusals fail the task as engine_unavailable, but only ten in a row', async () => {
    const task = await world.accept(project);
    for (let count = 0; count < 9; count += 1) expect((await tryInVain(task, 'refused')).next).toBe('retry');
    expect((await tryInVain(task, 'engine_lost')).next).toBe('retry');
    for (let count = 0; count < 9; count += 1) expect((await tryInVain(task, 'refused')).next).toBe('retry');
    expect((await tryInVain(task, 'refused')).next).toBe('ended');
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_unavailable' },
      engineSeconds: 2,
    });
  });

  it('an attempt that ended before it began, by the clock of another worker, took no time', async () => {
    const task = await world.accept(project);
    await world.moveClock(5);
    const { attempt } = await beginOrThrow(world, task);
    await world.moveClock(-5);
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', engineSeconds: 0 });
    await cancelTask(world, task.id);
  });

  it('a cancel that came first wins over a retry', async () => {
    const task = await world.accept(project);
    const { attempt } = await beginOrThrow(world, task);
    await cancelTask(world, task.id);
    expect(await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true })).toBe(
      'not-ours',
    );
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'cancelled', attempt: 1 });
    expect((await world.db.attempts.list(task.id)).map(({ outcome }) => outcome)).toEqual(['cancelled']);
  });

  it('the slot of a job that may still run drains, and a later report of that attempt is discarded', async () => {
    const task = await world.accept(project);
    const { place, attempt } = await tryInVain(task, 'engine_lost', false);
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([]);
    expect(await world.db.leases.ofEndpoint(place.endpointId)).toMatchObject({
      draining: [{ taskId: task.id, attempt: 1 }],
    });
    expect(await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true })).toBe(
      'not-ours',
    );
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', attempt: 2 });
  });

  it('a failure that is reported ten times at once causes one retry', async () => {
    const task = await world.accept(project);
    const { attempt } = await beginOrThrow(world, task);
    const end = { outcome: 'engine_crashed', stage: 'rendering', isJobOver: true } as const;
    const next = await Promise.all(Array.from({ length: 10 }, () => retryTask(world, attempt, end)));
    expect(next.filter((step) => step === 'retry')).toHaveLength(1);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ attempt: 2, counters: { failedAttempts: 1 } });
  });
});
