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
const openPool = (askMilliseconds = 5000) => {
  pool = createImagePool({ box, scratchRoot, poolSize: 1, askMilliseconds });
  return (payload = png) => pool.ask({ kind: 'normalise' }, payload);
};
const childIds = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-child'))
    .map(Number);

afterEach(() => pool.close());
afterAll(() => rm(scratchRoot, { recursive: true }));

it('a child is kept for the next image', async () => {
  const ask = openPool();
  await ask();
  const [first] = childIds();
  expect(await ask()).toMatchObject({ header: { kind: 'done' } });
  expect(childIds()).toEqual([first]);
});

it('closing ends the children and leaves no scratch folder behind', async () => {
  const ask = openPool();
  await ask();
  expect(await readdir(scratchRoot)).toHaveLength(1);
  await pool.close();
  expect(childIds()).toEqual([]);
  expect(await readdir(scratchRoot)).toEqual([]);
  await expect(ask()).rejects.toThrow('closed');
});

it('a child that dies costs its image an answer and is replaced', async () => {
  const ask = openPool();
  await ask();
  const dying = ask();
  for (const pid of childIds()) process.kill(pid, 'SIGKILL');
  await expect(dying).rejects.toBeInstanceOf(ImageChildLost);
  expect(await ask()).toMatchObject({ header: { kind: 'done' } });
});

it('a child that takes too long is killed and replaced', async () => {
  const ask = openPool(700);
  await ask();
  const [stopped] = childIds();
  if (!stopped) throw new Error('there is no child');
  process.kill(stopped, 'SIGSTOP');
  await expect(ask()).rejects.toBeInstanceOf(ImageChildLost);
  expect(await ask()).toMatchObject({ header: { kind: 'done' } });
  expect(childIds()).not.toContain(stopped);
});

it('requests wait for a free child up to a limit, and closing ends what waits', async () => {
  const ask = openPool();
  const asked = Array.from({ length: 33 }, () => ask());
  const all = Promise.allSettled(asked);
  await expect(ask()).rejects.toBeInstanceOf(ImagePoolFull);
  await asked[0];
  await pool.close();
  const reasons = (await all).filter((outcome) => outcome.status === 'rejected').map(({ reason }) => String(reason));
  expect(reasons).toContain('Error: the image pool is closed');
});
