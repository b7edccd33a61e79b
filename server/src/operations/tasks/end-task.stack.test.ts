import { describe, expect, it } from 'vitest';
import { uuidFromId } from '../../domain/id.ts';
import { isFinal } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { freeSlot } from '../attempts/free-slot.ts';
import { beginOrThrow, inLanes, race, useWorld, videoOf } from '../operations.fixture.ts';
import { cancelTask } from './cancel-task.ts';
import { completeTask } from './complete-task.ts';
import { failTask } from './end-task.ts';

const world = useWorld();
const store = useTestStorage();

const complete = (taskId: string, attempt = 1, content = 'a') =>
  completeTask({ ...world, storage: store.storage }, taskId, attempt, videoOf(taskId, content));

/** Returns what the end of a task left in the tables. */
async function traces(taskId: string) {
  const uuid = uuidFromId('task', taskId) ?? '';
  const [usage, events] = await Promise.all([
    world.db.kysely.selectFrom('usage').selectAll().where('task_id', '=', uuid).execute(),
    world.db.kysely.selectFrom('events').select('type').where('task_id', '=', uuid).execute(),
  ]);
  return { usage, ends: events.map((event) => event.type).filter((type) => type !== 'video.started') };
}

describe('the end of a task', () => {
  it('a task ends once: a cancelled one never becomes completed and a completed one never cancelled, over 50 races', async () => {
    const project = await world.newProject({ runningLimit: 50 });
    const winners = new Map<string, number>();
    await inLanes(6, 50, async (index) => {
      const task = await world.accept(project);
      await beginOrThrow(world, task);
      const contenders = [
        () => complete(task.id).then((isCompleted) => (isCompleted ? 'completed' : null)),
        () =>
          cancelTask(world, task.id).then(
            () => 'cancelled',
            (error: unknown) => (error instanceof AppError && error.code === 'task_not_cancellable' ? null : 'broken'),
          ),
        () =>
          failTask(world, task.id, { code: 'deadline_exceeded', stage: 'rendering', attempt: 1 }).then((isFailed) =>
            isFailed ? 'failed' : null,
          ),
      ];
      const claimed = await race(contenders, index);
      const winner = claimed.filter((status) => status !== null);
      expect(winner).toHaveLength(1);
      const status = winner[0] ?? '';
      const found = await world.db.tasks.find(task.id);
      expect(found?.status).toBe(status);
      const { usage, ends } = await traces(task.id);
      expect(usage).toMatchObject([{ status, billable: status === 'completed' }]);
      expect(ends).toEqual([`video.${status}`]);
      winners.set(status, (winners.get(status) ?? 0) + 1);
    });
    expect([...winners.keys()].sort()).toEqual(['cancelled', 'completed', 'failed']);
    expect(await world.slotsOf(project)).toMatchObject({ running: 0, waiting: 0 });
  });

  it('cancelling a task twice has the same result and counts once', async () => {
    const project = await world.newProject();
    const task = await world.accept(project);
    const [one, other] = await Promise.all([cancelTask(world, task.id), cancelTask(world, task.id)]);
    const third = await cancelTask(world, task.id);
    expect([one.status, other.status, third.status]).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(third.version).toBe(2);
    expect((await traces(task.id)).usage).toHaveLength(1);
    expect(await world.slotsOf(project)).toMatchObject({ running: 0, waiting: 0 });
  });

  it('a task that ends gives back its place, running or waiting', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const running = await world.accept(project);
    await world.moveClock(0.001);
    const waiting = await world.accept(project);
    await world.moveClock(0.001);
    const last = await world.accept(project);
    await cancelTask(world, waiting.id);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 1 });
    await cancelTask(world, running.id);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 0 });
    await cancelTask(world, last.id);
    expect(await world.slotsOf(project)).toMatchObject({ running: 0, waiting: 0 });
    const messages = await world.messages();
    const messageKinds = (id: string) =>
      messages.filter((message) => message.kind !== 'deliver' && message.taskId === id).map(({ kind }) => kind);
    // A task that was never admitted has no workflow to cancel.
    expect(messageKinds(waiting.id)).toEqual([]);
    expect(messageKinds(running.id).sort()).toEqual(['cancel', 'start']);
  });

  it('a cancel counts the engine time so far, and none after the job was over', async () => {
    const project = await world.newProject();
    const interrupted = await world.accept(project);
    await beginOrThrow(world, interrupted);
    const over = await world.accept(project);
    const { attempt } = await beginOrThrow(world, over);
    await world.moveClock(5);
    await freeSlot(world, attempt);
    await world.moveClock(3);
    await cancelTask(world, interrupted.id);
    await cancelTask(world, over.id);
    expect((await traces(interrupted.id)).usage).toMatchObject([{ engine_seconds: 8 }]);
    expect((await traces(over.id)).usage).toMatchObject([{ engine_seconds: 5 }]);
  });

  it('a cancelled task stays at the stage that it had reached', async () => {
    const project = await world.newProject({ runningLimit: 3 });
    const [rendering, preparing, retried] = await Promise.all([1, 2, 3].map(() => world.accept(project)));
    if (!rendering || !preparing || !retried) throw new Error('no task was accepted');
    for (const task of [rendering, preparing, retried]) await beginOrThrow(world, task);
    const live = { stage: 'rendering', progress: 4, progressSource: 'engine' } as const;
    const updates = [
      { ...live, taskId: rendering.id, attempt: 1 },
      { ...live, taskId: retried.id, attempt: 0 }, // an entry of an earlier attempt does not count
    ];
    await world.db.liveEntries.write(updates, new Date());
    expect(await cancelTask(world, rendering.id)).toMatchObject({ status: 'cancelled', stage: 'rendering' });
    expect(await cancelTask(world, preparing.id)).toMatchObject({ status: 'cancelled', stage: 'preparing' });
    expect(await cancelTask(world, retried.id)).toMatchObject({ status: 'cancelled', stage: 'preparing' });
  });

  it('a task that is unknown or has ended otherwise cannot be cancelled, and the error says which', async () => {
    const task = await world.accept(await world.newProject());
    await failTask(world, task.id, { code: 'internal_error', stage: 'waiting' });
    await expect(cancelTask(world, task.id)).rejects.toMatchObject({ code: 'task_not_cancellable' });
    await expect(cancelTask(world, 'task_nonsense')).rejects.toMatchObject({ code: 'task_not_found' });
    await expect(cancelTask(world, task.id.replace(/.{4}$/, '0000'))).rejects.toMatchObject({ code: 'task_not_found' });
  });

  it('the files that the row names stay, and those of a late completion are deleted', async () => {
    const task = await world.accept(await world.newProject());
    await beginOrThrow(world, task);
    const put = async (content: string) => {
      const { objectKey, thumbnailKey, spritesheetKey } = videoOf(task.id, content);
      for (const key of [objectKey, thumbnailKey, spritesheetKey]) {
        await store.storage.put(key, Buffer.from(content), 'video/mp4');
      }
    };
    await put('a');
    await put('b');
    expect(await complete(task.id, 1, 'a')).toBe(true);
    expect(await complete(task.id, 1, 'b')).toBe(false);
    expect(await complete(task.id, 1, 'a')).toBe(false); // the same content once more: the row names it
    const left = (await store.keys()).filter((key) => key.includes(task.id));
    const { objectKey, thumbnailKey, spritesheetKey } = videoOf(task.id, 'a');
    expect(left).toEqual([objectKey, thumbnailKey, spritesheetKey].sort());
  });

  it('the files of a late attempt stay while the task is active, because the current attempt may name the same', async () => {
    const task = await world.accept(await world.newProject());
    const { attempt } = await beginOrThrow(world, task);
    const { objectKey } = videoOf(task.id);
    await store.storage.put(objectKey, Buffer.from('a'), 'video/mp4');
    await world.db.tasks.change(task.id, 'retry', { attempt: attempt.attempt }, {});
    expect(await complete(task.id, attempt.attempt)).toBe(false);
    expect(await store.storage.head(objectKey)).not.toBeNull();
  });

  it('a task that has ended never changes again, whatever is tried', async () => {
    const task = await world.accept(await world.newProject());
    await cancelTask(world, task.id);
    const before = await world.db.tasks.find(task.id);
    expect(await complete(task.id)).toBe(false);
    expect(await failTask(world, task.id, { code: 'internal_error', stage: 'waiting' })).toBe(false);
    expect(await world.begin(task)).toEqual({ kind: 'not-queued' });
    expect(await world.db.tasks.change(task.id, 'retry', {}, {})).toBeNull();
    const after = await world.db.tasks.find(task.id);
    expect(after).toEqual(before);
    expect(after && isFinal(after.status)).toBe(true);
  });
});
