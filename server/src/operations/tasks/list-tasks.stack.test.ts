import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import type { TaskFilter } from '../../db/tasks/task-filter.ts';
import { unusedLimits } from '../../domain/caller.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import type { Task } from '../../domain/task.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { beginOrThrow, callerOf, useWorld, type World } from '../operations.fixture.ts';
import { acceptTask } from './accept-task.ts';
import { cancelTask } from './cancel-task.ts';
import { deleteTask } from './delete-task.ts';
import { failTask } from './end-task.ts';
import { listTasks, type TaskListQuery } from './list-tasks.ts';

const world = useWorld();
const store = useTestStorage();

const limits = { ...unusedLimits, running: 1, waiting: 4 };
const list = (project: Project, query: Partial<TaskListQuery> = {}, livemode = true) =>
  listTasks(
    world,
    { ...callerOf(project, livemode), limits },
    { filter: {}, order: 'desc', after: null, limit: 20, ...query },
  );
const idsOf = async (...args: Parameters<typeof list>) => (await list(...args)).views.map(({ task }) => task.id);
const daySeconds = 24 * 60 * 60;

/** Returns every page from first to last. */
async function walk(project: Project, query: Partial<TaskListQuery>): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  for (;;) {
    const page: Awaited<ReturnType<typeof list>> = await list(project, { ...query, after });
    pages.push(page.views.map(({ task }) => task.id));
    if (page.next === null) return pages;
    after = page.next;
  }
}

async function accepted(project: Project, count: number, secondsBetween: number): Promise<Task[]> {
  const tasks = [];
  for (let index = 0; index < count; index += 1) {
    tasks.push(await world.accept(project));
    await world.moveClock(secondsBetween);
  }
  return tasks;
}

describe('a list of tasks', () => {
  it('the list shows every task once, newest or oldest first, across several days', async () => {
    const project = await world.newProject();
    const own = (await accepted(project, 7, daySeconds / 3)).map(({ id }) => id);
    const newestFirst = own.toReversed();
    expect(await walk(project, { limit: 3 })).toEqual([
      newestFirst.slice(0, 3),
      newestFirst.slice(3, 6),
      newestFirst.slice(6),
    ]);
    expect(await walk(project, { limit: 3, order: 'asc' })).toEqual([own.slice(0, 3), own.slice(3, 6), own.slice(6)]);
    expect(await walk(project, { limit: 7 })).toEqual([newestFirst]);
    const { views, next } = await list(project, { after: own[0] ?? '' });
    expect({ views, next }).toEqual({ views: [], next: null });
  });

  it('the list shows no tasks of other projects or of the other mode', async () => {
    const [project, other] = [await world.newProject(), await world.newProject()];
    const live = await world.accept(project);
    const test = await world.accept(project, { livemode: false });
    const foreign = await world.accept(other);
    expect(await idsOf(project)).toEqual([live.id]);
    expect(await idsOf(project, {}, false)).toEqual([test.id]);
    expect(await idsOf(project, { filter: { keyId: foreign.keyId } })).toEqual([]);
  });

  it('a cursor that is foreign, of the other mode, unknown or malformed is refused with the same error', async () => {
    const project = await world.newProject();
    const foreign = await world.accept(await world.newProject());
    const ofOtherMode = await world.accept(project, { livemode: false });
    const unknown = strayId('task', new Date());
    const refusals = await Promise.all(
      [foreign.id, ofOtherMode.id, unknown, 'task_x', '', `${unknown}0`].map((after) =>
        list(project, { after }).catch(({ code, param, message, details }) => ({ code, param, message, details })),
      ),
    );
    expect(refusals[0]).toMatchObject({ code: 'invalid_parameter', param: 'after' });
    expect(refusals).toEqual(refusals.map(() => refusals[0]));
  });

  it('filters apply alone and together', async () => {
    const project = await world.newProject({ runningLimit: 10 });
    const make = (request: Parameters<World['accept']>[1] = {}) => world.accept(project, request);
    const wide = await make({ request: { aspectRatio: '21:9', resolution: '1080p', model: 'other-model' } });
    const image = { objectKey: 'x', sha256: 'x', width: 300, height: 300, fit: 'crop' } as const;
    const ofImage = await make({ request: { type: 'image_to_video', image } });
    const failed = await make();
    await failTask(world, failed.id, { code: 'internal_error', stage: 'waiting' });
    const cancelled = await make({ request: { resolution: '1080p' } });
    await cancelTask(world, cancelled.id);
    const running = await make();
    await beginOrThrow(world, running);
    const found = async (filter: TaskFilter) => (await idsOf(project, { filter, order: 'asc' })).sort();
    const sorted = (...tasks: Task[]) => tasks.map(({ id }) => id).sort();
    expect(await found({ statuses: ['failed'] })).toEqual([failed.id]);
    expect(await found({ statuses: ['cancelled'] })).toEqual([cancelled.id]);
    expect(await found({ statuses: ['in_progress'] })).toEqual([running.id]);
    expect(await found({ statuses: ['queued'] })).toEqual(sorted(wide, ofImage));
    expect(await found({ statuses: ['completed'] })).toEqual([]);
    expect(await found({ statuses: ['failed', 'cancelled'] })).toEqual(sorted(failed, cancelled));
    expect(await found({ statuses: ['failed', 'in_progress', 'queued'] })).toEqual(
      sorted(failed, running, wide, ofImage),
    );
    expect(await found({ statuses: ['queued', 'cancelled'], resolution: '1080p' })).toEqual(sorted(wide, cancelled));
    expect(await found({ type: 'image_to_video' })).toEqual([ofImage.id]);
    expect(await found({ model: 'other-model' })).toEqual([wide.id]);
    expect(await found({ model: 'no-such-model' })).toEqual([]);
    expect(await found({ aspectRatio: '21:9' })).toEqual([wide.id]);
    expect(await found({ resolution: '1080p' })).toEqual(sorted(wide, cancelled));
    expect(await found({ resolution: '1080p', statuses: ['queued'] })).toEqual([wide.id]);
    expect(await found({ keyId: running.keyId })).toEqual([running.id]);
    expect(await found({ keyId: 'key_nonsense' })).toEqual([]);
    expect(await found({ keyId: strayId('key', new Date()) })).toEqual([]);
  });

  it('the filters by creation time also apply to a task whose image took long to fetch', async () => {
    const project = await world.newProject();
    const start = world.clock.now();
    const [first, second, third] = await accepted(project, 3, 10);
    // Its id is as old as its request; the row came half a minute later.
    const slow = await acceptTask(world, callerOf(project), strayId('task', start), plainRequest).then(
      ({ task }) => task,
    );
    const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
    const between = async (createdAfter?: Date, createdBefore?: Date) =>
      new Set(await idsOf(project, { filter: { createdAfter, createdBefore } }));
    expect(await between(at(0), at(10))).toEqual(new Set([first?.id]));
    expect(await between(at(10), at(20))).toEqual(new Set([second?.id]));
    expect(await between(at(20))).toEqual(new Set([third?.id, slow.id]));
    expect(await between(undefined, at(0))).toEqual(new Set());
    expect(await between(new Date(0), new Date(253_402_300_799_000))).toEqual(
      new Set([first?.id, second?.id, third?.id, slow.id]),
    );
  });

  it('the filter by metadata finds tasks with all of these pairs, exactly as they are', async () => {
    const project = await world.newProject();
    const make = (metadata: Record<string, string>, of = project) => world.accept(of, { request: { metadata } });
    const first = await make({ order: '42', shop: 'north' });
    await world.moveClock(0.001);
    const second = await make({ order: '43', shop: 'north', 'a=b': 'c' });
    await world.moveClock(0.001);
    await make({});
    const foreign = await make({ order: '42' }, await world.newProject());
    const found = (metadata: Record<string, string>, others: TaskFilter = {}) =>
      idsOf(project, { filter: { ...others, metadata }, order: 'asc' });
    expect(await found({ order: '42' })).toEqual([first.id]);
    expect(await found({ shop: 'north' })).toEqual([first.id, second.id]);
    expect(await found({ shop: 'north', order: '43' })).toEqual([second.id]);
    expect(await found({ shop: 'north' }, { statuses: ['completed'] })).toEqual([]);
    expect(await found({ 'a=b': 'c' })).toEqual([second.id]);
    for (const none of [{ order: '4' }, { Order: '42' }, { shop: 'North' }, { a: 'b=c' }, { order: '42', a: '' }]) {
      expect(await found(none as Record<string, string>)).toEqual([]);
    }
    expect(await found({ order: '42' })).not.toContain(foreign.id);
  });

  it('the search finds whole words of the prompt in any order and case', async () => {
    const project = await world.newProject();
    const prompts = [
      'A paper boat drifts down the street',
      'A boat of Paper-mâché',
      "The cat's whiskers",
      '紙の船 sails',
    ];
    const tasks: Task[] = [];
    for (const prompt of prompts) {
      tasks.push(await world.accept(project, { request: { prompt } }));
      await world.moveClock(0.001);
    }
    const foreign = await world.accept(await world.newProject(), { request: { prompt: 'paper boat' } });
    const found = async (words: string) =>
      (await idsOf(project, { filter: { words }, order: 'asc' })).map((id) =>
        tasks.findIndex((task) => task.id === id),
      );
    expect(await found('BOAT paper')).toEqual([0, 1]);
    expect(await found('street')).toEqual([0]);
    expect(await found('stre')).toEqual([]);
    expect(await found('paper lantern')).toEqual([]);
    expect(await found('紙の船')).toEqual([3]);
    expect(await found("cat's")).toEqual([2]);
    // Nothing here is an operator of the search.
    for (const words of ['!', "'; drop table tasks --", 'paper & !boat:*', '(((', '\\']) {
      expect(await found(words)).toEqual(words.includes('paper') ? [0, 1] : []);
    }
    expect(await idsOf(project, { filter: { words: 'paper' } })).not.toContain(foreign.id);
  });

  it('the list leaves out deleted tasks, which still serve as cursors', async () => {
    const project = await world.newProject();
    const [oldest, middle, newest] = await accepted(project, 3, 1);
    await deleteTask({ ...world, storage: store.storage }, callerOf(project), middle?.id ?? '');
    expect(await idsOf(project)).toEqual([newest?.id, oldest?.id]);
    expect(await idsOf(project, { filter: { statuses: ['cancelled'] } })).toEqual([]);
    expect(await idsOf(project, { after: middle?.id ?? '' })).toEqual([oldest?.id]);
    expect(await idsOf(project, { after: middle?.id ?? '', order: 'asc' })).toEqual([newest?.id]);
  });

  it('the list shows each task with its own progress, and how busy the project is', async () => {
    const project = await world.newProject();
    const [running, waiting] = await accepted(project, 2, 1);
    if (!running || !waiting) throw new Error('nothing was accepted');
    const { attempt } = await beginOrThrow(world, running);
    const live = { stage: 'rendering', progress: 42, progressSource: 'engine' } as const;
    await world.db.liveEntries.write([{ taskId: running.id, attempt: attempt.attempt, ...live }], new Date());
    const { views, activeTasks, readsPerMinute } = await list(project);
    expect(views).toMatchObject([
      { task: { id: waiting.id, status: 'queued' }, live: null, activeTasks: 5 },
      { task: { id: running.id, status: 'in_progress' }, live: { attempt: 1, ...live }, activeTasks: 5 },
    ]);
    expect({ activeTasks, readsPerMinute }).toEqual({ activeTasks: 5, readsPerMinute: 600 });
  });
});
