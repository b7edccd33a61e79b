import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import { contentKey, rawKey } from '../../domain/object-key.ts';
import type { Task, TaskImage } from '../../domain/task.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { beginOrThrow, useWorld, videoOf } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { completeTask } from '../tasks/complete-task.ts';
import { deleteTask } from '../tasks/delete-task.ts';
import { failTask } from '../tasks/end-task.ts';
import { readFile } from '../tasks/read-file.ts';
import { expireFiles } from './expire-files.ts';

const world = useWorld();
const store = useTestStorage();

const daySeconds = 24 * 60 * 60;
const put = (key: string) => store.storage.put(key, Buffer.from(key), 'video/mp4');
const expire = (isDryRun = false) => expireFiles({ ...world, storage: store.storage }, { isDryRun });

/** Accepts a task from an image, which is in the store. */
async function acceptWithImage(): Promise<Task & { image: TaskImage }> {
  const objectKey = contentKey(strayId('task', world.clock.now()), 'c'.repeat(64), 'png');
  const image: TaskImage = { objectKey, sha256: 'c'.repeat(64), width: 640, height: 480, fit: 'crop' };
  await put(objectKey);
  const task = await world.accept(await world.newProject(), { request: { type: 'image_to_video', image } });
  return { ...task, image };
}

async function complete(task: Task): Promise<string[]> {
  await beginOrThrow(world, task);
  const video = videoOf(task.id);
  const keys = [video.objectKey, video.thumbnailKey, video.spritesheetKey];
  for (const key of keys) await put(key);
  await completeTask({ ...world, storage: store.storage }, task.id, 1, video);
  return keys;
}

describe('expired files', () => {
  it('files are deleted seven days after their task ended, however it ended, and the record stays', async () => {
    const { storage } = store;
    const [completed, failed, cancelled, open] = await Promise.all([
      acceptWithImage(),
      acceptWithImage(),
      acceptWithImage(),
      acceptWithImage(),
    ]);
    const videoKeys = await complete(completed);
    await failTask(world, failed.id, { code: 'internal_error', stage: 'waiting' });
    await cancelTask(world, cancelled.id);
    // No row names this object, so it is left to the sweep.
    const raw = rawKey(completed.id, 1);
    await put(raw);

    await world.moveClock(7 * daySeconds - 1);
    expect(await expire()).toEqual({ tasks: 0, uploads: 0, objects: 0, hasMore: false });
    expect(await store.keys()).toHaveLength(8);
    await expect(readFile({ ...world, storage }, completed.id, 'video', null)).resolves.toMatchObject({
      objectKey: videoKeys[0],
    });

    await world.moveClock(1);
    const due = { tasks: 3, uploads: 0, objects: 6, hasMore: false };
    expect(await expire(true)).toEqual(due);
    expect(await store.keys()).toHaveLength(8);
    expect(await expire()).toEqual(due);
    expect(await store.keys()).toEqual([open.image.objectKey, raw].sort());
    expect(await expire()).toMatchObject({ tasks: 0 });

    expect(await world.db.tasks.find(completed.id)).toMatchObject({
      status: 'completed',
      video: { sha256: 'a'.repeat(64) },
    });
    await expect(readFile({ ...world, storage }, completed.id, 'video', null)).rejects.toMatchObject({
      code: 'video_expired',
      status: 410,
    });
    await storage.delete([raw, open.image.objectKey]);
    await cancelTask(world, open.id);
  });

  it('files of a deleted task are deleted at once, even if the store was unavailable when the task was deleted', async () => {
    const task = await acceptWithImage();
    await complete(task);
    await put(rawKey(task.id, 1));
    const unavailable = {
      ...store.storage,
      list: () => {
        throw new Error('the store is unavailable');
      },
    };
    await deleteTask({ ...world, storage: unavailable }, task, task.id);
    expect(await store.keys()).not.toEqual([]);
    expect(await expire()).toMatchObject({ tasks: 1 });
    // The image of this test is in a folder of its own; everything in the task's folder has been deleted.
    expect((await store.keys()).filter((key) => key.includes(task.id))).toEqual([]);
  });

  it('files are deleted again if the process that deleted them died before it could record that', async () => {
    const task = await acceptWithImage();
    await complete(task);
    await world.moveClock(7 * daySeconds);
    const dying = {
      ...world.db,
      taskFiles: { ...world.db.taskFiles, markDeleted: () => Promise.reject(new Error('killed')) },
    };
    await expect(expireFiles({ ...world, db: dying, storage: store.storage }, { isDryRun: false })).rejects.toThrow(
      'killed',
    );
    expect((await expire()).tasks).toBeGreaterThan(0);
    expect(await expire()).toMatchObject({ tasks: 0 });
  });

  it('files are deleted batch by batch, and a dry run reports that there are more than its one batch', async () => {
    const { id } = await world.accept(await world.newProject());
    await cancelTask(world, id);
    // The same task 1,199 times more, each under an id of the same moment.
    await sql`insert into tasks select (jsonb_populate_record(task, jsonb_build_object(
        'id', left(task.id::text, 15) || substr(gen_random_uuid()::text, 16)))).*
      from tasks task cross join generate_series(1, 1199) where task.id = ${uuidFromId('task', id)}`.execute(
      world.db.kysely,
    );
    await world.moveClock(7 * daySeconds);
    expect(await expire(true)).toMatchObject({ tasks: 500, hasMore: true });
    expect(await expire()).toMatchObject({ tasks: 1200, hasMore: false });
    expect(await expire()).toMatchObject({ tasks: 0, hasMore: false });
  });

  it('uploaded files are deleted with their rows when they expire', async () => {
    const project = await world.newProject();
    const now = world.clock.now();
    const file = (expiresAt: Date) => {
      const id = strayId('file', now);
      return {
        id,
        projectId: project.id,
        livemode: true,
        keyId: strayId('key', now),
        objectKey: `uploads/${id}.png`,
        name: null,
        contentType: 'image/png',
        sizeBytes: 10,
        sha256: 'd'.repeat(64),
        width: 640,
        height: 480,
        createdAt: now,
        expiresAt,
      };
    };
    const old = file(new Date(now.getTime() - 1));
    const young = file(new Date(now.getTime() + 1000));
    for (const one of [old, young]) {
      await put(one.objectKey);
      await world.db.files.insert(one);
    }
    expect(await expire()).toMatchObject({ uploads: 1 });
    const left = (await store.keys()).filter((key) => key.startsWith('uploads/'));
    expect(left).toEqual([young.objectKey]);
    const rows = await world.db.kysely.selectFrom('files').select('object_key').execute();
    expect(rows).toEqual([{ object_key: young.objectKey }]);
  });
});
