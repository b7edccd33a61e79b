import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { KeyHolder } from '../../domain/actor.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import { contentKey, rawKey, taskFolder } from '../../domain/object-key.ts';
import type { Task } from '../../domain/task.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { beginOrThrow, callerOf, inLanes, operator, race, useWorld, videoOf } from '../operations.fixture.ts';
import { sweepObjects } from '../upkeep/sweep-objects.ts';
import { cancelTask } from './cancel-task.ts';
import { completeTask } from './complete-task.ts';
import { deleteTask } from './delete-task.ts';
import { failTask } from './end-task.ts';
import { readFile } from './read-file.ts';
import { findOwnTask, readTask } from './read-task.ts';
import { readTimeline } from './read-timeline.ts';
import { repeatTask } from './repeat-task.ts';

const world = useWorld();
const store = useTestStorage();

const dependencies = () => ({ ...world, storage: store.storage });
const ownerOf = ({ projectId, livemode, keyId }: Task) => ({ projectId, livemode, keyId });
const remove = (task: Task) => deleteTask(dependencies(), ownerOf(task), task.id);
const complete = (task: Task) => completeTask(dependencies(), task.id, 1, videoOf(task.id));
const rowOf = (task: Task) =>
  world.db.kysely
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', uuidFromId('task', task.id) ?? '')
    .executeTakeFirstOrThrow();

const objectsOf = (task: Task) => store.keys(`${taskFolder(task.id)}/`);

async function putFiles(task: Task): Promise<void> {
  const { objectKey, thumbnailKey, spritesheetKey } = videoOf(task.id);
  for (const key of [objectKey, thumbnailKey, spritesheetKey]) {
    await store.storage.put(key, Buffer.from('bytes'), 'video/mp4');
  }
}

describe('deleting a task', () => {
  it('deleting a task erases all texts of its caller and all files, and keeps its usage', async () => {
    const project = await world.newProject();
    const sample = await world.accept(project);
    const imageKey = contentKey(sample.id, 'c'.repeat(64), 'png');
    const task = await world.accept(project, {
      request: {
        prompt: 'secret-prompt',
        negativePrompt: 'secret-negative',
        metadata: { 'secret-name': 'secret-value' },
        warnings: [{ code: 'unknown_parameter', param: 'secret-param', message: 'secret-warning' }],
        image: { objectKey: imageKey, sha256: 'secret-hash', width: 300, height: 300, fit: 'crop' },
        callbackUrl: 'https://hooks.example/',
      },
    });
    await world.db.kysely
      .insertInto('idempotency_keys')
      .values({
        project_id: uuidFromId('proj', project.id) ?? '',
        livemode: true,
        route: 'POST /v1/videos',
        key: 'k',
        request_sha256: Buffer.alloc(32),
        image_sha256: null,
        owner: null,
        reserved_until: null,
        task_id: uuidFromId('task', task.id),
        answer: '{"prompt":"secret-prompt"}',
        created_at: world.clock.now(),
      })
      .execute();
    await beginOrThrow(world, task);
    await putFiles(task);
    await complete(task);
    await store.storage.put(rawKey(task.id, 1), Buffer.from('raw'), 'video/mp4');
    const before = await rowOf(task);
    await remove(task);

    const tables = ['tasks', 'attempts', 'events', 'usage', 'idempotency_keys', 'outbox', 'live_entries'];
    for (const table of tables) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(table)} t`.execute(
        world.db.kysely,
      );
      expect(rows.filter(({ text }) => text.includes('secret'))).toEqual([]);
    }
    expect(await objectsOf(task)).toEqual([]);
    const after = await rowOf(task);
    expect(after).toMatchObject({ status: 'completed', version: before.version + 1, are_files_gone: true });
    expect(after.expires_at?.getTime()).toBe(after.deleted_at?.getTime());
    // Callbacks that are still due need their address; they contain no more than the status.
    expect(after.callback_url).toBe('https://hooks.example/');
    // The row still reads as a whole task, but names no objects.
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'completed', prompt: '', image: null });
    expect((await world.db.tasks.namedObjects([task.id])).get(task.id)).toEqual({
      keys: [],
      isActive: false,
      isDeleted: true,
    });
    const usage = await world.db.kysely
      .selectFrom('usage')
      .select('billable')
      .where('task_id', '=', after.id)
      .execute();
    expect(usage).toEqual([{ billable: true }]);
  });

  it('deleting an active task cancels it: its slot goes to the next task, its workflow is cancelled, its callers get an event', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const running = await world.accept(project);
    await world.moveClock(0.001);
    const next = await world.accept(project);
    await beginOrThrow(world, running);
    await remove(running);
    expect(await rowOf(running)).toMatchObject({ status: 'cancelled', prompt: '' });
    expect((await rowOf(next)).admitted_at).not.toBeNull();
    const events = await world.db.kysely
      .selectFrom('events')
      .select('type')
      .where('task_id', '=', uuidFromId('task', running.id) ?? '')
      .execute();
    expect(events.map(({ type }) => type).sort()).toEqual(['video.cancelled', 'video.started']);
    const { rows } = await sql<{ kind: string }>`
      select kind from outbox where task_id = ${uuidFromId('task', running.id)} and kind = 'cancel'`.execute(
      world.db.kysely,
    );
    expect(rows).toHaveLength(1);
    await world.expectCountersToBeRight();
  });

  it('a delete that is repeated, even at the same moment, takes effect once', async () => {
    const task = await world.accept(await world.newProject());
    await Promise.all(Array.from({ length: 5 }, () => remove(task)));
    const once = await rowOf(task);
    await world.moveClock(10);
    await remove(task);
    expect(await rowOf(task)).toEqual(once);
    // The task was cancelled, then erased.
    expect(once.version).toBe(3);
  });

  it('a foreign, unknown or malformed id gets the same "not found", and nothing is deleted', async () => {
    const project = await world.newProject();
    const task = await world.accept(project);
    const refused = async (owner: KeyHolder, id: string) => {
      await expect(deleteTask(dependencies(), owner, id)).rejects.toMatchObject({ code: 'task_not_found' });
      await expect(cancelTask(world, id, owner)).rejects.toMatchObject({ code: 'task_not_found' });
      await expect(readTimeline(world, owner, id)).rejects.toMatchObject({ code: 'task_not_found' });
      await expect(readFile(dependencies(), id, 'video', owner)).rejects.toMatchObject({ code: 'task_not_found' });
    };
    await refused(callerOf(await world.newProject()), task.id);
    await refused(callerOf(project, false), task.id);
    await refused(callerOf(project), task.id.replace(/.{4}$/, '0000'));
    await refused(callerOf(project), 'task_x');
    expect(await rowOf(task)).toMatchObject({ status: 'queued', deleted_at: null });
  });

  it('an operator deletes a task of any project, with the same effect', async () => {
    const task = await world.accept(await world.newProject(), { request: { prompt: 'reported' } });
    await putFiles(task);
    await deleteTask(dependencies(), operator, task.id);
    expect(await rowOf(task)).toMatchObject({ status: 'cancelled', prompt: '', deleted_at: world.clock.now() });
    expect(await objectsOf(task)).toEqual([]);
    await expect(deleteTask(dependencies(), operator, 'task_unknown')).rejects.toMatchObject({
      code: 'task_not_found',
    });
  });

  it('every read of a deleted task throws task_deleted', async () => {
    const task = await world.accept(await world.newProject());
    await remove(task);
    const owner = ownerOf(task);
    const deleted = { code: 'task_deleted', status: 410 };
    await expect(readTask(world, owner, task.id)).rejects.toMatchObject(deleted);
    await expect(findOwnTask(world, owner, task.id)).rejects.toMatchObject(deleted);
    await expect(readTimeline(world, owner, task.id)).rejects.toMatchObject(deleted);
    await expect(cancelTask(world, task.id, owner)).rejects.toMatchObject(deleted);
    await expect(readFile(dependencies(), task.id, 'video', owner)).rejects.toMatchObject(deleted);
    await expect(readFile(dependencies(), task.id, 'video', null)).rejects.toMatchObject(deleted);
    await expect(repeatTask(dependencies(), operator, task.id)).rejects.toMatchObject(deleted);
  });

  it('a delete that races with the end of its task leaves neither texts nor files, over 30 races', async () => {
    const project = await world.newProject({ runningLimit: 50 });
    const ends = new Map<string, number>();
    await inLanes(5, 30, async (index) => {
      const task = await world.accept(project);
      await beginOrThrow(world, task);
      await putFiles(task);
      const contenders = [
        () => remove(task),
        () => complete(task),
        () => failTask(world, task.id, { code: 'engine_crashed', stage: 'rendering' }),
      ];
      await race<unknown>(contenders, index);
      const row = await rowOf(task);
      expect(row).toMatchObject({ prompt: '', image: null });
      expect(row.deleted_at).not.toBeNull();
      expect(await objectsOf(task)).toEqual([]);
      ends.set(row.status, (ends.get(row.status) ?? 0) + 1);
    });
    expect([...ends.keys()].sort()).toEqual(['cancelled', 'completed', 'failed']);
    await world.expectCountersToBeRight();
  });

  it('a worker that still has a deleted task can neither begin nor complete it, nor leave files', async () => {
    const project = await world.newProject();
    const task = await world.accept(project);
    await beginOrThrow(world, task);
    await remove(task);
    const after = await rowOf(task);
    await putFiles(task);
    expect(await complete(task)).toBe(false);
    expect(await objectsOf(task)).toEqual([]);
    expect(await world.db.tasks.change(task.id, 'retry', {}, {})).toBeNull();
    expect(await world.begin(task)).toEqual({ kind: 'not-queued' });
    await world.db.tasks.markFinishing(task.id, 1, 1);
    expect(await rowOf(task)).toEqual(after);
  });

  it('a delete does not wait for an unavailable store, and the sweep deletes the files that are left', async () => {
    const task = await world.accept(await world.newProject());
    await beginOrThrow(world, task);
    await putFiles(task);
    await complete(task);
    const unavailable = {
      ...store.storage,
      delete: () => Promise.reject(new Error('the store is unavailable')),
    };
    await deleteTask({ ...world, storage: unavailable }, ownerOf(task), task.id);
    expect(await rowOf(task)).toMatchObject({ prompt: '', are_files_gone: false });
    const silent = { ...store.storage, delete: () => new Promise<void>(() => undefined) };
    const other = await world.accept(await world.newProject());
    await deleteTask({ ...world, storage: silent }, ownerOf(other), other.id);
    expect((await rowOf(other)).deleted_at).not.toBeNull();

    expect(await objectsOf(task)).toHaveLength(3);
    const clock = clockAt(() => new Date(Date.now() + 2 * 24 * 60 * 60 * 1000));
    await sweepObjects({ ...dependencies(), clock }, { olderThanSeconds: 24 * 60 * 60, isDryRun: false });
    expect(await objectsOf(task)).toEqual([]);
  });
});

describe('a file of a task', () => {
  it('a file can be read by its owner, or with a signature, until it expires', async () => {
    const task = await world.accept(await world.newProject());
    const owner = ownerOf(task);
    const read = (own: typeof owner | null) => readFile(dependencies(), task.id, 'thumbnail', own);
    await expect(read(owner)).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('queued') });
    await beginOrThrow(world, task);
    await expect(read(owner)).rejects.toMatchObject({ message: expect.stringContaining("isn't ready yet") });
    await putFiles(task);
    await complete(task);
    expect(await read(owner)).toMatchObject({ sizeBytes: 5, contentType: 'image/jpeg' });
    expect(await read(null)).toMatchObject({ sizeBytes: 5 });
    const expired = { ...dependencies(), clock: clockAt(() => new Date(world.clock.now().getTime() + 8 * 86_400_000)) };
    await expect(readFile(expired, task.id, 'video', owner)).rejects.toMatchObject({ code: 'video_expired' });
    await store.storage.delete(await objectsOf(task));
    await expect(read(owner)).rejects.toMatchObject({ code: 'video_expired', status: 410 });
  });

  it('a file of a failed task is not found, and the error says why', async () => {
    const task = await world.accept(await world.newProject());
    await failTask(world, task.id, { code: 'internal_error', stage: 'waiting' });
    await expect(readFile(dependencies(), task.id, 'video', ownerOf(task))).rejects.toMatchObject({
      code: 'not_found',
      message: 'The task failed, so there is no video to download.',
    });
  });
});
