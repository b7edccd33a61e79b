import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createBox } from '@kinora/boxes/box';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { beforeAll, describe, expect, it } from 'vitest';
import { mediaLimits } from '../domain/limits.ts';
import { withScratchFolder } from '../media/scratch.ts';
import { createVideo, type Video } from '../media/video.ts';
import { freeSlot } from '../operations/attempts/free-slot.ts';
import { beginOrThrow, useWorld } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { type TestStorage, unreachableStorage, useTestStorage } from '../storage/storage.fixture.ts';
import { createFinishHere } from './finish-here.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';

const world = useWorld();
const store = useTestStorage();
const scratch = temporaryFolder('finish-here');
let rendered: Buffer;
let video: Video;

beforeAll(async () => {
  const input = '-f lavfi -i testsrc=size=864x480:rate=24:duration=1';
  await debianFfmpeg(`${input} -pix_fmt yuv420p -preset ultrafast rendered.mp4`, scratch);
  rendered = await readFile(join(scratch, 'rendered.mp4'));
  video = createVideo({ box: await createBox({}) });
});

const { finishing, finishChildren } = mediaLimits(1);

/** Returns a worker that finishes four tasks here at once, with one child process. */
function newWorker(parts: { storage?: TestStorage['storage']; video?: Video } = {}) {
  const finishHere = createFinishHere(
    {
      ...world,
      storage: store.storage,
      video,
      withScratch: (work) => withScratchFolder(scratch, work),
      ...parts,
    },
    { finishing: { ...finishing, total: 4 }, finishChildren: { ...finishChildren, total: 1 } },
  );
  return async (rendering: Rendered, output: Buffer = rendered) => {
    const engine = { ...createScriptedEngine(), fetchOutput: async () => Readable.from([output]) };
    const context = { cancellationSignal: new AbortController().signal } as unknown as Context;
    return asyncLocalStorage.run(context, () => finishHere(rendering.task, rendering.attempt, engine, { jobId: '1' }));
  };
}

type Rendered = Awaited<ReturnType<typeof render>>;

/** Returns a task whose job has ended. */
async function render() {
  const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()));
  await freeSlot(world, attempt);
  return { task, attempt: { ...attempt, slotFreedAt: new Date() } };
}

const objectsOf = async (taskId: string) => (await store.keys()).filter((key) => key.includes(taskId));

describe('a worker that finishes what it has rendered', () => {
  it('completes the task and stores exactly the files that the row names', async () => {
    const rendering = await render();
    expect(await newWorker()(rendering)).toBe('ended');
    expect(await world.db.tasks.find(rendering.task.id)).toMatchObject({ status: 'completed' });
    const { keys = [] } = (await world.db.tasks.namedObjects([rendering.task.id])).get(rendering.task.id) ?? {};
    expect(keys).toHaveLength(3);
    expect(await objectsOf(rendering.task.id)).toEqual([...keys].sort());
  });

  it('counts an output that is not a video as a failed attempt', async () => {
    const rendering = await render();
    expect(await newWorker()(rendering, Buffer.from('not a video'))).toBe('generate');
    expect(await world.db.tasks.find(rendering.task.id)).toMatchObject({ status: 'queued', attempt: 2 });
    expect(await objectsOf(rendering.task.id)).toEqual([]);
  });

  it('leaves a cancelled task cancelled, without files', async () => {
    const rendering = await render();
    await cancelTask(world, rendering.task.id);
    expect(await newWorker()(rendering)).toBe('ended');
    expect(await world.db.tasks.find(rendering.task.id)).toMatchObject({ status: 'cancelled' });
    expect(await objectsOf(rendering.task.id)).toEqual([]);
  });

  it('leaves the task to the media queue if the store is unreachable', async () => {
    const away = unreachableStorage();
    const rendering = await render();
    expect(await newWorker({ storage: away })(rendering)).toBeNull();
    expect(await world.db.tasks.find(rendering.task.id)).toMatchObject({ status: 'in_progress', attempt: 1 });
  });

  it('runs as many children as it may, and leaves the tasks beyond its places to the media queue', async () => {
    const opened = Promise.withResolvers<void>();
    let children = 0;
    let mostChildren = 0;
    // All outputs are the same, and they are made ahead: a child that makes one could take longer than a task waits.
    let conformed: ReturnType<Video['conform']> | undefined;
    const ahead: Video = { conform: (inputPath, target) => (conformed = video.conform(inputPath, target, scratch)) };
    expect(await newWorker({ video: ahead })(await render())).toBe('ended');
    const slow: Video = {
      conform: async (inputPath, target) => {
        children += 1;
        mostChildren = Math.max(mostChildren, children);
        await opened.promise;
        children -= 1;
        return conformed ?? video.conform(inputPath, target, scratch);
      },
    };
    const finish = newWorker({ video: slow });
    const renderings = await Promise.all(Array.from({ length: 5 }, render));
    const [last, ...others] = renderings.toReversed() as [Rendered, ...Rendered[]]; // there are five
    const finishing = others.map((rendering) => finish(rendering));
    expect(await finish(last)).toBeNull();
    opened.resolve();
    expect(await Promise.all(finishing)).toEqual(['ended', 'ended', 'ended', 'ended']);
    expect(mostChildren).toBe(1);
  });
});
