import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBox } from '@kinora/boxes/box';
import { boxedChildren } from '@kinora/boxes/boxed-children';
import sharp from 'sharp';
import { afterAll, afterEach, expect, it } from 'vitest';
import { NoPermit } from '../domain/fair-semaphore.ts';
import { createImagePool, ImageChildLost, type ImagePool } from './image-pool.ts';

const box = await createBox({});
const scratchRoot = await mkdtemp(join(tmpdir(), 'image-pool-test-'));
const png = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#c83214' } })
  .png()
  .toBuffer();
let pool: ImagePool;
const openPool = (requestMilliseconds = 5000, waitMilliseconds = 60_000) => {
  pool = createImagePool({ box, scratchRoot, poolSize: 1, requestMilliseconds, waitMilliseconds });
  return (projectId = 'proj_1') => pool.request(projectId, { kind: 'normalise' }, png);
};
const childIds = () => boxedChildren(process.pid);

afterEach(() => pool.close());
afterAll(() => rm(scratchRoot, { recursive: true }));

it('a child is reused for the next image', async () => {
  const normalise = openPool();
  await normalise();
  const [first] = childIds();
  expect(await normalise()).toMatchObject({ header: { kind: 'done' } });
  expect(childIds()).toEqual([first]);
});

it('closing ends the children and leaves no scratch folder behind', async () => {
  const normalise = openPool();
  await normalise();
  expect(await readdir(scratchRoot)).toHaveLength(1);
  await pool.close();
  expect(childIds()).toEqual([]);
  expect(await readdir(scratchRoot)).toEqual([]);
  await expect(normalise()).rejects.toThrow('closed');
});

it('a child that dies fails its request and is replaced', async () => {
  const normalise = openPool();
  await normalise();
  const dying = normalise();
  for (const pid of childIds()) process.kill(pid, 'SIGKILL');
  await expect(dying).rejects.toBeInstanceOf(ImageChildLost);
  expect(await normalise()).toMatchObject({ header: { kind: 'done' } });
});

it('a child that takes too long is killed and replaced', async () => {
  const normalise = openPool(700);
  await normalise();
  const [stopped] = childIds();
  if (!stopped) throw new Error('there is no child');
  process.kill(stopped, 'SIGSTOP');
  await expect(normalise()).rejects.toBeInstanceOf(ImageChildLost);
  expect(await normalise()).toMatchObject({ header: { kind: 'done' } });
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

/** Stops the child that decodes an image, as an image that takes very long would. */
async function stopOnlyChild(normalise: ReturnType<typeof openPool>): Promise<void> {
  await normalise();
  const [child] = childIds();
  if (!child) throw new Error('there is no child');
  process.kill(child, 'SIGSTOP');
}

it('images that take as long as they may keep no other project waiting', async () => {
  const normalise = openPool(60_000);
  await stopOnlyChild(normalise);
  const slow = Promise.allSettled(Array.from({ length: 10 }, () => normalise('proj_slow')));
  // Five images of another project are done while the first one of the slow project still holds its child.
  for (let count = 0; count < 5; count += 1) {
    expect(await normalise('proj_other')).toMatchObject({ header: { kind: 'done' } });
  }
  const isSlowWaiting = await Promise.race([slow.then(() => false), Promise.resolve(true)]);
  expect(isSlowWaiting).toBe(true);
  await pool.close();
  expect((await slow).filter(({ status }) => status === 'fulfilled')).toEqual([]);
});

it('an image that waits too long is refused, and told that its own project is the reason', async () => {
  const normalise = openPool(60_000, 300);
  await stopOnlyChild(normalise);
  const held = normalise('proj_slow').catch(() => 'closed');
  await expect(normalise('proj_slow')).rejects.toEqual(new NoPermit(true));
  await pool.close();
  expect(await held).toBe('closed');
});
