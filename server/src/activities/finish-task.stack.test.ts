import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createBox } from '@kinora/boxes/box';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { beforeAll, describe, expect, it } from 'vitest';
import { strayId } from '../domain/id.fixture.ts';
import { rawKey } from '../domain/object-key.ts';
import type { Task } from '../domain/task.ts';
import { withScratchFolder } from '../media/scratch.ts';
import { createVideo } from '../media/video.ts';
import { freeSlot } from '../operations/attempts/free-slot.ts';
import { beginOrThrow, useWorld } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { finishActivities } from './finish-task.ts';

const world = useWorld();
const store = useTestStorage();
const scratch = temporaryFolder('finish');
let rendered: Buffer;
let finish: (taskId: string) => Promise<string>;

beforeAll(async () => {
  const input = '-f lavfi -i testsrc=size=864x480:rate=24:duration=1';
  await debianFfmpeg(`${input} -pix_fmt yuv420p -preset ultrafast rendered.mp4`, scratch);
  rendered = await readFile(join(scratch, 'rendered.mp4'));
  const activities = finishActivities({
    ...world,
    storage: store.storage,
    video: createVideo({ box: await createBox({}) }),
    withScratch: (work) => withScratchFolder(scratch, work),
  });
  // Called as Temporal's worker does; all that finishing needs of an activity's context is a heartbeat and a signal.
  const context = {
    info: { heartbeatTimeoutMs: 30_000 },
    heartbeat: () => undefined,
    cancellationSignal: new AbortController().signal,
  } as unknown as Context;
  finish = (taskId) => asyncLocalStorage.run(context, () => activities.finish({ taskId }));
});

/** Returns a task whose engine has delivered these bytes. */
async function deliver(bytes: Buffer): Promise<Task> {
  const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()));
  await freeSlot(world, attempt);
  await store.storage.put(rawKey(task.id, 1), bytes, 'video/mp4');
  return task;
}

const objectsOf = async (taskId: string) => (await store.keys()).filter((key) => key.includes(taskId));

describe('finishing', () => {
  it('stores exactly the files that the row names, with the hashes in the row, and deletes the raw output', async () => {
    const task = await deliver(rendered);
    expect(await finish(task.id)).toBe('ended');
    const found = await world.db.tasks.find(task.id);
    if (found?.status !== 'completed') throw new Error('not completed');
    const { video } = found;
    expect(video).toMatchObject({
      width: 854,
      height: 480,
      fps: 24,
      frameCount: 24,
      rendered: { width: 864, height: 480 },
    });
    expect(await objectsOf(task.id)).toEqual([video.objectKey, video.thumbnailKey, video.spritesheetKey].sort());
    const body = await store.storage.read(video.objectKey);
    const bytes = body ? await buffer(body) : Buffer.alloc(0);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(video.sha256);
    expect(bytes.length).toBe(video.sizeBytes);
    const sizes = (await objectsOf(task.id)).map(async (key) => (await store.storage.head(key))?.sizeBytes ?? 0);
    const storedBytes = (await Promise.all(sizes)).reduce((sum, sizeBytes) => sum + sizeBytes, 0);
    expect(video.storedBytes).toBe(storedBytes);
    expect(await world.slotsOf({ id: task.projectId })).toMatchObject({ stored_bytes: String(storedBytes) });
    expect(await finish(task.id)).toBe('ended'); // may be repeated at any point
    expect(await world.db.tasks.find(task.id)).toEqual(found);
  });

  it('counts a file that is not a video as a failed attempt, and the task is generated again', async () => {
    const task = await deliver(Buffer.from('not a video'));
    expect(await finish(task.id)).toBe('generate');
    expect(await world.db.tasks.find(task.id)).toMatchObject({
      status: 'queued',
      attempt: 2,
      counters: { failedAttempts: 1, isAdmitted: true },
    });
    expect((await world.db.attempts.list(task.id)).map(({ outcome }) => outcome)).toEqual(['output_invalid']);
    expect(await objectsOf(task.id)).toEqual([]);
  });

  it('happens once if two workers do it at the same moment, and leaves no file that no row names', async () => {
    const task = await deliver(rendered);
    const steps = await Promise.allSettled([finish(task.id), finish(task.id)]);
    expect(steps.filter((step) => step.status === 'fulfilled' && step.value === 'ended').length).toBeGreaterThan(0);
    const { keys = [] } = (await world.db.tasks.namedObjects([task.id])).get(task.id) ?? {};
    expect(keys).toHaveLength(3);
    expect(await objectsOf(task.id)).toEqual([...keys].sort());
  });

  it('leaves a cancelled task cancelled and deletes its raw output', async () => {
    const task = await deliver(rendered);
    await cancelTask(world, task.id);
    expect(await finish(task.id)).toBe('ended');
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'cancelled' });
    expect(await objectsOf(task.id)).toEqual([]);
  });

  it('returns the next step by the row if there is nothing to finish', async () => {
    const { task } = await beginOrThrow(world, await world.accept(await world.newProject()));
    expect(await finish(task.id)).toBe('follow'); // there is no raw output yet: the job is followed
    const queued = await world.accept(await world.newProject());
    expect(await finish(queued.id)).toBe('generate');
    expect(await finish(strayId('task', new Date()))).toBe('ended');
  });
});
