import { readdir } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { type Box, createBox } from '@kinora/boxes/box';
import { boxedChildren } from '@kinora/boxes/boxed-children';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { eventually } from '@kinora/stack/harness/eventually';
import sharp from 'sharp';
import { afterEach, expect, it } from 'vitest';
import { NoPermit } from '../domain/concurrency-limit.ts';
import { createImagePool, ImageChildLost, type ImagePool } from './image-pool.ts';

const realBox = await createBox({});
const scratchRoot = temporaryFolder('image-pool');
/** One image per project, each of another width. */
const projectIds = ['proj_1', 'proj_2', 'proj_3', 'proj_4', 'proj_5'];
const pngs = new Map(
  await Promise.all(
    projectIds.map(async (projectId, index) => {
      const create = { width: 400 + index, height: 300, channels: 3, background: '#c83214' } as const;
      return [projectId, await sharp({ create }).png().toBuffer()] as const;
    }),
  ),
);

/** For each child, in the order of their starts, the projects whose images were written to it. */
let projectsByChild: string[][] = [];
let alive = 0;
let mostAlive = 0;
/** The real box, which also records what is written to each child and how many there are. */
const box: Box = {
  ...realBox,
  spawn(command) {
    const child = realBox.spawn(command);
    alive += 1;
    mostAlive = Math.max(mostAlive, alive);
    void child.result.finally(() => {
      alive -= 1;
    });
    const projects: string[] = [];
    projectsByChild.push(projects);
    const stdin = new Writable({
      write(chunk: Buffer, _encoding, done) {
        for (const [projectId, png] of pngs) if (png.equals(chunk)) projects.push(projectId);
        child.stdin.write(chunk, () => done());
      },
    });
    return { ...child, stdin };
  },
};

let pool: ImagePool;
const openPool = (options: { requestMilliseconds?: number; waitMilliseconds?: number; poolSize?: number } = {}) => {
  projectsByChild = [];
  mostAlive = 0;
  pool = createImagePool({
    box,
    scratchRoot,
    poolSize: 1,
    requestMilliseconds: hangLimitMilliseconds,
    waitMilliseconds: hangLimitMilliseconds,
    ...options,
  });
  return (projectId = 'proj_1') => {
    const png = pngs.get(projectId);
    if (!png) throw new Error(`there is no image of ${projectId}`);
    return pool.request(projectId, { kind: 'normalise' }, png);
  };
};
const done = { header: { kind: 'done' } };
/** In the order of their starts. */
const childIds = () => boxedChildren(process.pid);
const hasSpare = async () => {
  await expect.poll(() => projectsByChild.at(-1)).toEqual([]);
};

afterEach(() => pool.close());

it('a project that sends several images keeps its child', async () => {
  const normalise = openPool();
  await normalise();
  const [first] = childIds();
  expect(await normalise()).toMatchObject(done);
  expect(await normalise()).toMatchObject(done);
  expect(childIds()[0]).toBe(first);
  expect(projectsByChild[0]).toEqual(['proj_1', 'proj_1', 'proj_1']);
});

it('no child gets images of two projects', async () => {
  const normalise = openPool({ poolSize: 2 });
  const senders = [...projectIds, ...projectIds.toReversed()];
  const images = await Promise.all(senders.map((projectId) => normalise(projectId)));
  for (const image of images) expect(image).toMatchObject(done);
  expect(projectsByChild.flat().toSorted()).toEqual(senders.toSorted());
  for (const projects of projectsByChild) expect(new Set(projects).size).toBeLessThanOrEqual(1);
});

it('however many projects send images, the number of children stays bounded', async () => {
  const normalise = openPool({ poolSize: 2 });
  await Promise.all(projectIds.map((projectId) => normalise(projectId)));
  for (const projectId of projectIds) await normalise(projectId);
  await hasSpare();
  // Three children with a project, and the spare.
  await expect.poll(childIds).toHaveLength(4);
  expect(mostAlive).toBe(4);
});

it('a project whose child was idle for longest loses it to another project', async () => {
  const normalise = openPool();
  await normalise('proj_1');
  const [first] = childIds();
  await normalise('proj_2');
  await normalise('proj_3');
  expect(childIds()).not.toContain(first);
  await normalise('proj_2');
  await normalise('proj_1');
  await hasSpare();
  expect(projectsByChild).toEqual([['proj_1'], ['proj_2', 'proj_2'], ['proj_3'], ['proj_1'], []]);
});

it('the first image of a project gets a child that was started before', async () => {
  const normalise = openPool();
  await normalise('proj_1');
  await hasSpare();
  const started = projectsByChild.length;
  await normalise('proj_2');
  expect(projectsByChild.slice(0, started)).toEqual([['proj_1'], ['proj_2']]);
});

it('a spare that has died is not used', async () => {
  const normalise = openPool();
  await normalise('proj_1');
  const [used] = childIds();
  const spare = await eventually('a spare starts', () => childIds().find((pid) => pid !== used));
  process.kill(spare, 'SIGKILL');
  await expect.poll(() => readdir(scratchRoot)).toHaveLength(1);
  expect(await normalise('proj_2')).toMatchObject(done);
});

it('closing ends the children and leaves no scratch folder behind', async () => {
  const normalise = openPool();
  await normalise();
  expect(await readdir(scratchRoot)).not.toEqual([]);
  await pool.close();
  expect(childIds()).toEqual([]);
  expect(await readdir(scratchRoot)).toEqual([]);
  await expect(normalise()).rejects.toThrow('closed');
});

it('a child that dies fails its request and is replaced', async () => {
  const normalise = openPool();
  await normalise();
  const dying = normalise();
  const [used] = childIds();
  if (!used) throw new Error('there is no child');
  process.kill(used, 'SIGKILL');
  await expect(dying).rejects.toBeInstanceOf(ImageChildLost);
  expect(await normalise()).toMatchObject(done);
});

/** Stops the child that decodes the images of a project, as an image that takes very long would. */
async function stopOnlyChild(normalise: ReturnType<typeof openPool>, projectId: string): Promise<number> {
  await normalise(projectId);
  const [child] = childIds();
  if (!child) throw new Error('there is no child');
  process.kill(child, 'SIGSTOP');
  return child;
}

it('a child that takes too long is killed and replaced', async () => {
  const normalise = openPool({ requestMilliseconds: 3_000 });
  const stopped = await stopOnlyChild(normalise, 'proj_1');
  await expect(normalise()).rejects.toBeInstanceOf(ImageChildLost);
  expect(await normalise()).toMatchObject(done);
  expect(childIds()).not.toContain(stopped);
});

it('requests wait for a free child up to a limit, and closing the pool rejects those that wait', async () => {
  const normalise = openPool();
  const requests = Array.from({ length: 33 }, () => normalise());
  const all = Promise.allSettled(requests);
  await expect(normalise()).rejects.toEqual(new NoPermit(true));
  await requests[0];
  await pool.close();
  const reasons = (await all).filter((outcome) => outcome.status === 'rejected').map(({ reason }) => String(reason));
  expect(reasons).toContain('Error: the image pool is closed');
});

it('images that take as long as they may keep no other project waiting', async () => {
  const normalise = openPool();
  await stopOnlyChild(normalise, 'proj_1');
  const slow = Promise.allSettled(Array.from({ length: 10 }, () => normalise('proj_1')));
  // Five images of other projects are done while the first one of the slow project still holds its child.
  for (const projectId of ['proj_2', 'proj_2', 'proj_3', 'proj_2', 'proj_3']) {
    expect(await normalise(projectId)).toMatchObject(done);
  }
  const isSlowWaiting = await Promise.race([slow.then(() => false), Promise.resolve(true)]);
  expect(isSlowWaiting).toBe(true);
  await pool.close();
  expect((await slow).filter(({ status }) => status === 'fulfilled')).toEqual([]);
});

it('an image that waits too long is refused, and told that its own project is the reason', async () => {
  const normalise = openPool({ waitMilliseconds: 300 });
  await stopOnlyChild(normalise, 'proj_1');
  const held = normalise('proj_1').catch(() => 'closed');
  await expect(normalise('proj_1')).rejects.toEqual(new NoPermit(true));
  await pool.close();
  expect(await held).toBe('closed');
});
