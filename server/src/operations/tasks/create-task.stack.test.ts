import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { unusedLimits } from '../../domain/caller.fixture.ts';
import type { Caller } from '../../domain/caller.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import { animatic, type Model } from '../../domain/model.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import { callerOf, inLanes, useWorld } from '../operations.fixture.ts';
import { acceptTask } from './accept-task.ts';
import { createTask } from './create-task.ts';
import { failTask } from './end-task.ts';

const world = useWorld(50);

/** Sends `count` creates at once, all at the same clock time. Returns the codes of those that were refused. */
async function createAtOnce(count: number, caller: ReturnType<typeof callerOf>): Promise<string[]> {
  const now = world.clock.now();
  const dependencies = { ...world, clock: clockAt(() => now) };
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => acceptTask(dependencies, caller, strayId('task', now), plainRequest)),
  );
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    if (outcome.reason instanceof AppError) return [outcome.reason.code];
    throw outcome.reason;
  });
}

async function rowsOf(projectId: string): Promise<number> {
  return (await world.db.openTasks.activeOf(projectId, 1000)).length;
}

describe('accepting a task', () => {
  it('an accepted task is committed together with its admission and the message that starts its workflow', async () => {
    const project = await world.newProject({ weight: 3 });
    const task = await world.accept(project);
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      id: task.id,
      status: 'queued',
      attempt: 1,
      counters: { isAdmitted: true },
    });
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 0 });
    const messages = await world.messages();
    expect(messages.filter((message) => message.kind !== 'deliver' && message.taskId === task.id)).toMatchObject([
      { kind: 'start', projectId: project.id, pool: 'animatic', weight: 3, enter: 'generate', tries: 0 },
    ]);
  });

  it('a task that may not run yet waits without a message', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    await world.accept(project);
    const second = await world.accept(project);
    expect((await world.db.tasks.find(second.id))?.counters.isAdmitted).toBe(false);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 1 });
    const messages = await world.messages();
    expect(messages.filter((message) => message.kind !== 'deliver' && message.taskId === second.id)).toEqual([]);
  });

  it('50 creates at once fill the waiting limit exactly', async () => {
    const project = await world.newProject({ runningLimit: 3, waitingLimit: 20 });
    const refused = await createAtOnce(50, callerOf(project));
    expect(refused).toEqual(Array.from({ length: 27 }, () => 'too_many_waiting_tasks'));
    expect(await rowsOf(project.id)).toBe(23);
    expect(await world.slotsOf(project)).toMatchObject({ running: 3, waiting: 20 });
  });

  it('tasks of one pool never refuse those of another, up to ten times the waiting limit in all', async () => {
    const project = await world.newProject({ runningLimit: 0, waitingLimit: 2 });
    const acceptFor = (pool: string) => world.accept(project, { request: { pool } });
    for (let pool = 0; pool < 10; pool += 1) {
      for (let count = 0; count < 2; count += 1) await acceptFor(`pool-${pool}`);
      await expect(acceptFor(`pool-${pool}`)).rejects.toThrow('Waiting task limit reached for this model (2).');
    }
    await expect(acceptFor('another')).rejects.toThrow('Waiting task limit reached for all models (20).');
    expect(await world.slotsOf(project)).toMatchObject({ waiting: 20 });
    expect(await world.db.projectSlots.mostWaiting({ projectId: project.id, livemode: true })).toBe(2);
  });

  it('50 creates at once fill the creation limit exactly: ten, then one per minute', async () => {
    const project = await world.newProject({ createsPerMinute: 1 });
    const caller = callerOf(project);
    const refused = await createAtOnce(50, caller);
    expect(refused).toEqual(Array.from({ length: 40 }, () => 'rate_limited'));
    expect(await rowsOf(project.id)).toBe(10);
    await world.ageCreates(project, '3 minutes');
    expect(await createAtOnce(20, caller)).toHaveLength(17);
    await world.ageCreates(project, '1 hour');
    expect(await createAtOnce(20, caller)).toHaveLength(10);
  });

  it('creates are not refused because the clocks of their processes differ', async () => {
    const project = await world.newProject({ createsPerMinute: 1 });
    for (let count = 0; count < 10; count += 1) {
      const now = new Date(world.clock.now().getTime() + (count % 2 === 0 ? 90_000 : -90_000));
      await acceptTask({ ...world, clock: clockAt(() => now) }, callerOf(project), strayId('task', now), plainRequest);
    }
    expect(await rowsOf(project.id)).toBe(10);
  });

  it('live mode and test mode are counted separately', async () => {
    const project = await world.newProject({ createsPerMinute: 1, runningLimit: 1 });
    expect(await createAtOnce(15, callerOf(project, true))).toHaveLength(5);
    expect(await createAtOnce(15, callerOf(project, false))).toHaveLength(5);
    expect(await world.slotsOf(project, true)).toMatchObject({ running: 1, waiting: 9 });
    expect(await world.slotsOf(project, false)).toMatchObject({ running: 1, waiting: 9 });
  });

  it('a refused create says how long to wait and uses up no quota', async () => {
    const project = await world.newProject({ createsPerMinute: 1 });
    const caller = callerOf(project);
    await createAtOnce(10, caller);
    const before = await world.slotsOf(project);
    const refusal = await world.accept(project).catch((error: unknown) => error);
    const { retryAfterSeconds } = refusal as AppError;
    expect(refusal).toMatchObject({ code: 'rate_limited' });
    expect(retryAfterSeconds).toBeGreaterThan(30);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(await createAtOnce(30, caller)).toHaveLength(30);
    expect(await world.slotsOf(project)).toEqual(before);
    expect(await rowsOf(project.id)).toBe(10);
  });

  it('a suspended project cannot create tasks', async () => {
    const project = await world.newProject({ isSuspended: true });
    await expect(world.accept(project)).rejects.toMatchObject({ code: 'project_suspended' });
    expect(await rowsOf(project.id)).toBe(0);
  });

  it('a new task never overtakes a waiting one', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const first = await world.accept(project);
    const waiting = [];
    for (let count = 0; count < 5; count += 1) {
      await world.moveClock(0.001); // ids of the same millisecond have a random order
      waiting.push(await world.accept(project));
    }
    const order = [];
    let running = first;
    for (const next of waiting) {
      await world.moveClock(0.001);
      // A task ends and two new ones come at the same moment: the slot goes to the task that waited longest.
      await Promise.all([
        failTask(world, running.id, { code: 'internal_error', stage: 'waiting' }),
        world.accept(project),
        world.accept(project),
      ]);
      const admitted = [];
      for (const task of waiting) {
        const found = await world.db.tasks.find(task.id);
        if (found?.status === 'queued' && found.counters.isAdmitted) admitted.push(task.id);
      }
      order.push(...admitted);
      running = next;
    }
    expect(order).toEqual(waiting.map((task) => task.id));
    await world.expectCountersToBeRight();
  });

  it('if a limit was raised, a create admits the tasks that wait before it', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    await world.accept(project);
    const waiting = await world.accept(project);
    await world.moveClock(0.001);
    await sql`update project_slots set cap = 2 where project_id = ${uuidFromId('proj', project.id)}`.execute(
      world.db.kysely,
    );
    const newest = await world.accept(project);
    const isAdmitted = async (id: string) => (await world.db.tasks.find(id))?.counters.isAdmitted;
    expect([await isAdmitted(waiting.id), await isAdmitted(newest.id)]).toEqual([true, false]);
    await world.expectCountersToBeRight();
  });

  it('a task whose pool nobody serves waits, and the next one for another pool runs', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    const at = world.clock.now();
    await sql`insert into unserved_pools (pool, since, noted_at)
      values ('unserved', ${new Date(at.getTime() - 61_000)}, ${at})`.execute(world.db.kysely);
    const stranded = await world.accept(project, { request: { pool: 'unserved' } });
    const served = await world.accept(project);
    const isAdmitted = async (id: string) => (await world.db.tasks.find(id))?.counters.isAdmitted;
    expect([await isAdmitted(stranded.id), await isAdmitted(served.id)]).toEqual([false, true]);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 1 });
    await world.expectCountersToBeRight();
  });

  it('100 creates at once and the ends of tasks never run more than the limit, and lose none', async () => {
    const project = await world.newProject({ runningLimit: 5 });
    const tasks: Task[] = [];
    // As many at once as there are connections: more would only wait for one, and not for long.
    await inLanes(50, 100, async () => {
      tasks.push(await world.accept(project));
    });
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(100);
    expect(await world.slotsOf(project)).toMatchObject({ running: 5, waiting: 95 });
    await inLanes(50, 70, async (index) => {
      const task = index < 50 ? tasks[index] : undefined;
      if (task) await failTask(world, task.id, { code: 'internal_error', stage: 'waiting' });
      else await world.accept(project);
    });
    expect(await world.slotsOf(project)).toMatchObject({ running: 5, waiting: 65 });
    await world.expectCountersToBeRight();
  });

  it('a create that is stored is returned as its row says', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const request = {
      metadata: { b: '1', a: '2' },
      price: { amount: '0.10', currency: 'USD' },
      callbackUrl: 'https://a.example/',
    };
    const task = await world.accept(project, { request });
    const { counters: _, ...stored } = (await world.db.tasks.find(task.id)) ?? { counters: null };
    expect(stored).toEqual(task);
  });

  it('a task stores the real id of a model that was named by an alias, and its price, which test mode lacks', async () => {
    const price = { currency: 'USD', perSecond: { '720p': '0.02' } };
    const wan: Model = { ...animatic, id: 'wan', aliases: ['sora-2'], pool: 'gpus', price };
    const project = await world.newProject();
    const create = async (livemode: boolean) => {
      const unused = {} as Pick<Parameters<typeof createTask>[0], 'images' | 'storage' | 'fetcher'>; // there is no image
      const catalogue = () => ({ models: [wan] });
      const waitingLimit = { refuseBeyond: async () => undefined };
      const parts = { ...unused, ...world, catalogue, waitingLimit, presentCreated: () => '' };
      const caller = { ...callerOf(project, livemode), limits: unusedLimits } as Caller; // nothing else of it is used
      const options = { model: 'sora-2', resolution: '720p', durationSeconds: 5 } as const;
      const request = { ...plainRequest, ...options, imageUrl: null, imageFit: 'crop' } as const;
      const { taskId } = await createTask(parts, {
        caller,
        type: 'text_to_video',
        request,
        warnings: [],
        idempotency: null,
      });
      return world.db.tasks.find(taskId);
    };
    expect(await create(true)).toMatchObject({
      model: 'wan',
      pool: 'gpus',
      price: { amount: '0.10', currency: 'USD' },
    });
    expect(await create(false)).toMatchObject({ model: 'wan', pool: 'animatic', price: null });
  });
});
