import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../domain/caller.ts';
import { newId } from '../../domain/id.ts';
import { animatic, type Model } from '../../domain/model.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import { AppError } from '../../errors.ts';
import { callerOf, createWorld, type World } from '../operations.fixture.ts';
import { acceptTask, createTask } from './create-task.ts';
import { failTask } from './end-task.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(50);
});
afterAll(() => world?.close());

/** As many creates as asked for, at once and at one moment; answers the codes of those that were refused. */
async function createAtOnce(count: number, caller: ReturnType<typeof callerOf>): Promise<string[]> {
  const now = world.clock.now();
  const dependencies = { ...world, clock: { now: () => now } };
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => acceptTask(dependencies, caller, newId('task', now), plainRequest)),
  );
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    if (outcome.reason instanceof AppError) return [outcome.reason.code];
    throw outcome.reason;
  });
}

async function rowsOf(projectId: string): Promise<number> {
  return (await world.db.tasks.activeOf(projectId, 1000)).length;
}

describe('accepting a task', () => {
  it('commits it with its place in the running and the message that starts its workflow', async () => {
    const project = await world.newProject({ weight: 3 });
    const task = await world.accept(project);
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      id: task.id,
      status: 'queued',
      attempt: 1,
      counters: { isAdmitted: true },
    });
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 0 });
    const messages = await world.db.outbox.takeDue(new Date(Date.now() + 60_000), 1000);
    expect(messages.filter((message) => message.kind !== 'deliver' && message.taskId === task.id)).toMatchObject([
      { kind: 'start', projectId: project.id, pool: 'animatic', weight: 3, enter: 'generate', tries: 0 },
    ]);
  });

  it('lets what may not run yet wait without a message', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    await world.accept(project);
    const second = await world.accept(project);
    expect((await world.db.tasks.find(second.id))?.counters.isAdmitted).toBe(false);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 1 });
    const messages = await world.db.outbox.takeDue(new Date(Date.now() + 60_000), 1000);
    expect(messages.filter((message) => message.kind !== 'deliver' && message.taskId === second.id)).toEqual([]);
  });

  it('keeps the waiting limit exactly under 50 creates at once', async () => {
    const project = await world.newProject({ runningLimit: 3, waitingLimit: 20 });
    const refused = await createAtOnce(50, callerOf(project));
    expect(refused).toEqual(Array.from({ length: 27 }, () => 'too_many_waiting_tasks'));
    expect(await rowsOf(project.id)).toBe(23);
    expect(await world.slotsOf(project)).toMatchObject({ running: 3, waiting: 20 });
  });

  it('keeps the creation limit exactly under 50 creates at once: ten, then one a second', async () => {
    const project = await world.newProject({ createsPerMinute: 60 });
    const caller = callerOf(project);
    const refused = await createAtOnce(50, caller);
    expect(refused).toEqual(Array.from({ length: 40 }, () => 'rate_limited'));
    expect(await rowsOf(project.id)).toBe(10);
    world.moveClock(3);
    expect(await createAtOnce(20, caller)).toHaveLength(17);
    world.moveClock(3600);
    expect(await createAtOnce(20, caller)).toHaveLength(10);
  });

  it('counts live and test apart', async () => {
    const project = await world.newProject({ createsPerMinute: 60, runningLimit: 1 });
    expect(await createAtOnce(15, callerOf(project, true))).toHaveLength(5);
    expect(await createAtOnce(15, callerOf(project, false))).toHaveLength(5);
    expect(await world.slotsOf(project, true)).toMatchObject({ running: 1, waiting: 9 });
    expect(await world.slotsOf(project, false)).toMatchObject({ running: 1, waiting: 9 });
  });

  it('says how long to wait, and a refused create uses nothing up', async () => {
    const project = await world.newProject({ createsPerMinute: 6 });
    const caller = callerOf(project);
    await createAtOnce(10, caller);
    const before = await world.slotsOf(project);
    const refusal = await world.accept(project).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
    expect(await createAtOnce(30, caller)).toHaveLength(30);
    expect(await world.slotsOf(project)).toEqual(before);
    expect(await rowsOf(project.id)).toBe(10);
  });

  it('refuses a suspended project', async () => {
    const project = await world.newProject({ isSuspended: true });
    await expect(world.accept(project)).rejects.toMatchObject({ code: 'project_suspended' });
    expect(await rowsOf(project.id)).toBe(0);
  });

  it('never lets a new task overtake a waiting one', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const first = await world.accept(project);
    const waiting = [];
    for (let count = 0; count < 5; count += 1) {
      world.moveClock(0.001); // within a millisecond the order of ids is chance
      waiting.push(await world.accept(project));
    }
    const order = [];
    let running = first;
    for (const next of waiting) {
      world.moveClock(0.001);
      // The end of a task and new ones at the same moment: the slot goes to who waited longest, never to the newcomer.
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

  it('keeps the real id of a model that was named by an alias, and its price of that day; test mode has none', async () => {
    const price = { currency: 'USD', perSecond: { '720p': '0.02' } };
    const wan: Model = { ...animatic, id: 'wan', aliases: ['sora-2'], pool: 'gpus', price };
    const project = await world.newProject();
    const create = async (livemode: boolean) => {
      const unused = {} as Pick<Parameters<typeof createTask>[0], 'images' | 'storage' | 'fetcher'>; // there is no image
      const catalogue = () => ({ models: [wan] });
      const waitingRoom = { refuseWhenFull: async () => undefined };
      const parts = { ...unused, ...world, catalogue, waitingRoom, presentCreated: () => '' };
      const caller = callerOf(project, livemode) as Caller; // nothing else of it is looked at
      const asked = { model: 'sora-2', resolution: '720p', durationSeconds: 5 } as const;
      const request = { ...plainRequest, ...asked, imageUrl: null, imageFit: 'crop' } as const;
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
