import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBox } from '@kinora/boxes/box';
import sharp from 'sharp';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createImagePool, ImageChildLost, type ImagePool, ImagePoolFull } from './image-pool.ts';

const box = await createBox({});
const scratchRoot = await mkdtemp(join(tmpdir(), 'image-pool-test-'));
const png = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#c83214' } })
  .png()
  .toBuffer();
let pool: ImagePool;
const openPool = (requestMilliseconds = 5000) => {
  pool = createImagePool({ box, scratchRoot, poolSize: 1, requestMilliseconds });
  return (payload = png) => pool.request({ kind: 'normalise' }, payload);
};
const childIds = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-child'))
    .map(Number);

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
  await expect(normalise()).rejects.toBeInstanceOf(ImagePoolFull);
  await requests[0];
  await pool.close();
  const reasons = (await all).filter((outcome) => outcome.status === 'rejected').map(({ reason }) => String(reason));
  expect(reasons).toContain('Error: the image pool is closed');
});
