import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import { contentKey, rawKey, taskFolder } from '../../domain/object-key.ts';
import type { Task } from '../../domain/task.ts';
import { useTestStoragePerTest } from '../../storage/storage.fixture.ts';
import { beginOrThrow, inLanes, useWorldPerTest, videoOf } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { completeTask } from '../tasks/complete-task.ts';
import { installationMarkerKey } from './installation-marker.ts';
import { type SweepRefusal, type Swept, sweepObjects } from './sweep-objects.ts';
import { restoreFromTrash } from './trash.ts';

const world = useWorldPerTest();
const store = useTestStoragePerTest();

const daySeconds = 24 * 60 * 60;
const put = (key: string) => store.storage.put(key, Buffer.from(key), 'video/mp4');

async function sweep(options: { isDryRun?: boolean; acceptUnknown?: boolean } = {}): Promise<Swept> {
  const swept = await trySweep(options);
  if ('reason' in swept) throw new Error(`the sweep was refused: ${swept.explanation}`);
  return swept;
}

const trySweep = ({ isDryRun = false, acceptUnknown = false } = {}): Promise<Swept | SweepRefusal> =>
  sweepObjects({ ...world, storage: store.storage }, { olderThanSeconds: daySeconds, isDryRun, acceptUnknown });

/** Completes a task and stores its three files. */
async function completedTask(): Promise<Task> {
  const task = await world.accept(await world.newProject({ runningLimit: 10 }));
  await beginOrThrow(world, task);
  const video = videoOf(task.id);
  for (const key of [video.objectKey, video.thumbnailKey, video.spritesheetKey]) await put(key);
  await completeTask({ ...world, storage: store.storage }, task.id, 1, video);
  return task;
}

/** Returns the id of a task that was made a little before now and has no row. */
const unknownTask = () => strayId('task', new Date(world.clock.now().getTime() - 1000));

async function forget(task: Task): Promise<void> {
  await sql`delete from tasks where id = ${uuidFromId('task', task.id)}`.execute(world.db.kysely);
}

describe('the sweep', () => {
  it('the sweep trashes orphaned objects that are a day old, but not those of active tasks or those that are not ours', async () => {
    const project = await world.newProject({ runningLimit: 10 });
    const image = (id: string) => contentKey(id, 'c'.repeat(64), 'png');
    const unknown = unknownTask();
    const completed = await completedTask();
    const active = await world.accept(project);
    const cancelled = await world.accept(project);
    await cancelTask(world, cancelled.id);

    const kept = [
      rawKey(active.id, 1),
      image(active.id),
      'notes/readme.txt',
      // This key looks like ours but is not: no id has these characters.
      `2026-01-01/task_${'u'.repeat(26)}/raw-1`,
    ];
    const orphaned = [
      rawKey(completed.id, 1),
      contentKey(completed.id, 'b'.repeat(64), 'mp4'),
      rawKey(cancelled.id, 1),
      image(cancelled.id),
      rawKey(unknown, 1),
      image(unknown),
    ].sort();
    for (const key of [...kept, ...orphaned]) await put(key);
    const all = await store.keys();

    expect((await sweep({ isDryRun: true })).trashed).toEqual([]);
    await world.moveClock(daySeconds + 60);
    expect((await sweep({ isDryRun: true })).trashed.sort()).toEqual(orphaned);
    expect(await store.keys()).toEqual(all);

    expect((await sweep()).trashed.sort()).toEqual(orphaned);
    const today = world.clock.now().toISOString().slice(0, 10);
    const trashed = orphaned.map((key) => `trash/${today}/${key}`);
    expect(await store.keys('trash/')).toEqual(trashed);
    const left = all.filter((key) => !orphaned.includes(key));
    expect(await store.keys()).toEqual([...left, ...trashed, installationMarkerKey].sort());
    expect((await sweep()).trashed).toEqual([]);
  });

  it('the sweep deletes trash after seven days, and trash can be restored until then', async () => {
    const orphan = rawKey((await completedTask()).id, 1);
    await put(orphan);
    await world.moveClock(daySeconds + 60);
    await sweep();
    await world.moveClock(7 * daySeconds);
    expect(await sweep()).toMatchObject({ emptied: 0 });
    expect(await restoreFromTrash(store.storage, orphan)).toEqual([orphan]);
    expect(await store.keys('trash/')).toEqual([]);
    expect(await store.storage.head(orphan)).not.toBeNull();

    expect(await sweep()).toMatchObject({ trashed: [orphan] });
    await world.moveClock(8 * daySeconds);
    expect(await sweep({ isDryRun: true })).toMatchObject({ emptied: 1 });
    expect(await store.keys('trash/')).toHaveLength(1);
    expect(await sweep()).toMatchObject({ emptied: 1 });
    expect(await store.keys('trash/')).toEqual([]);
  });

  it('the sweep claims an empty bucket, and refuses one that another installation has claimed', async () => {
    expect(await sweep({ isDryRun: true })).toMatchObject({ trashed: [] });
    expect(await store.keys()).toEqual([]);
    await sweep();
    expect(await store.keys()).toEqual([installationMarkerKey]);

    const task = await completedTask();
    await put(rawKey(task.id, 1));
    await world.moveClock(daySeconds + 60);
    await sql`update installation set id = gen_random_uuid()`.execute(world.db.kysely);
    const keys = await store.keys();
    for (const acceptUnknown of [false, true])
      expect(await trySweep({ acceptUnknown })).toMatchObject({ reason: 'other_installation' });
    expect(await store.keys()).toEqual(keys);
  });

  it('a bucket from before the claim is claimed if the database knows its objects, and refused if it knows none', async () => {
    const unknown = rawKey(unknownTask(), 1);
    await put(unknown);
    await world.accept(await world.newProject());
    for (const seconds of [0, daySeconds + 60]) {
      await world.moveClock(seconds);
      expect(await trySweep()).toMatchObject({ reason: 'unclaimed_bucket' });
    }
    expect(await store.keys()).toEqual([unknown]);
    await completedTask();
    expect((await sweep()).trashed).toEqual([unknown]);
    expect(await store.storage.head(installationMarkerKey)).not.toBeNull();
  });

  it('a sweep with an empty database is refused', async () => {
    const task = await completedTask();
    await sweep();
    await forget(task);
    await world.moveClock(daySeconds + 60);
    expect(await trySweep()).toMatchObject({ reason: 'older_database' });
    expect(await store.keys(taskFolder(task.id))).toHaveLength(3);
  });

  it('a sweep with an older copy of the database is refused, even after new tasks were created', async () => {
    await completedTask();
    await sweep();
    await world.moveClock(1);
    const lost = await completedTask();
    await forget(lost);
    await world.moveClock(daySeconds + 60);
    expect(await trySweep()).toMatchObject({ reason: 'older_database' });

    await inLanes(20, 98, (index) => put(rawKey(lost.id, index)));
    await completedTask();
    expect(await trySweep()).toMatchObject({
      reason: 'too_many_unknown',
      explanation: expect.stringContaining('101 of 104 objects'),
    });
    expect(await store.keys('trash/')).toEqual([]);
    expect(await store.keys(taskFolder(lost.id))).toHaveLength(101);

    // An operator who knows that the rows will not come back may go on.
    expect((await sweep({ acceptUnknown: true })).trashed).toHaveLength(101);
    expect(await store.keys(taskFolder(lost.id))).toEqual([]);
  });

  it('the sweep aborts uploads that were interrupted more than a day ago, and no others', async () => {
    const task = await completedTask();
    await store.beginUpload(rawKey(task.id, 1));
    await store.beginUpload('notes/video.mp4');
    expect(await sweep()).toMatchObject({ abortedUploads: 0 });
    await world.moveClock(daySeconds + 60);
    expect(await sweep({ isDryRun: true })).toMatchObject({ abortedUploads: 1 });
    expect(await store.unfinishedUploads()).toBe(2);
    expect(await sweep()).toMatchObject({ abortedUploads: 1 });
    expect(await store.unfinishedUploads()).toBe(1);
  });

  it('a worker that finishes a task without a row leaves the files where they are', async () => {
    const task = await completedTask();
    await forget(task);
    expect(await completeTask({ ...world, storage: store.storage }, task.id, 1, videoOf(task.id))).toBe(false);
    expect(await store.keys(taskFolder(task.id))).toHaveLength(3);
  });
});
