import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type BoxChild, createBox } from './box.ts';
import { encodeFrames } from './encode-frames.ts';

const box = await createBox({});
const folder = await mkdtemp(join(tmpdir(), 'encode-test-'));
afterAll(() => rm(folder, { recursive: true }));

const size = { width: 854, height: 480 };
const limits = { memoryBytes: 2 ** 28, cpuSeconds: 20, fileSizeBytes: 0, timeoutMilliseconds: 20_000 };

/** A child that writes frames of a moving pattern, and with status 7 ends when nobody reads them. */
function startFrames(frameCount: number): BoxChild {
  const program = `
    const { writeSync } = require('node:fs');
    const frame = Buffer.alloc(${size.width * size.height * 4}, 255);
    for (let index = 0; index < ${frameCount}; index++) {
      for (let offset = 0; offset < frame.length; offset += 4) frame[offset] = (offset / 4 + index * 5) % 256;
      try {
        for (let written = 0; written < frame.length; ) written += writeSync(1, frame, written);
      } catch {
        process.exit(7);
      }
    }`;
  return box.spawn({ program: 'node', arguments: ['-e', program], limits, folder });
}

it('the same frames give the same file', async () => {
  const encode = async (name: string) => {
    const outputPath = join(folder, name);
    const heard: number[] = [];
    const onProgress = (frameCount: number) => heard.push(frameCount);
    const frames = startFrames(24);
    expect(await encodeFrames({ box }, { ...size, fps: 24, frames, outputPath, folder, onProgress })).toBe(24);
    expect(heard.at(-1)).toBe(24);
    expect(heard).toEqual(heard.toSorted((one, other) => one - other));
    expect(await frames.result).toMatchObject({ exitCode: 0 });
    return outputPath;
  };
  const [first, second] = [await encode('first.mp4'), await encode('second.mp4')];
  const bytes = await readFile(first);
  expect(bytes.equals(await readFile(second))).toBe(true);
});

it('an abort ends the encoder, and a child whose frames nobody reads is told so instead of waiting', async () => {
  const abort = new AbortController();
  const frames = startFrames(1_000_000);
  const reason = new Error('the task was cancelled');
  const encoding = encodeFrames(
    { box },
    {
      ...size,
      fps: 24,
      frames,
      outputPath: join(folder, 'aborted.mp4'),
      folder,
      signal: abort.signal,
      onProgress: () => abort.abort(reason),
    },
  );
  await expect(encoding).rejects.toBe(reason);
  expect(await frames.result).toMatchObject({ exitCode: 7 });
});

it('an encoder that cannot write its file says so', async () => {
  const frames = startFrames(1_000_000);
  const outputPath = join(folder, 'no-such-folder', 'output.mp4');
  await expect(encodeFrames({ box }, { ...size, fps: 24, frames, outputPath, folder })).rejects.toThrow(
    'ffmpeg did not encode',
  );
  expect(await frames.result).toMatchObject({ exitCode: 7 });
});

it('frames that end early are counted, not made up', async () => {
  const frames = startFrames(1_000_000);
  let hasBegun = false;
  const onProgress = () => {
    hasBegun = true;
    frames.kill();
  };
  const outputPath = join(folder, 'early.mp4');
  // A frame of which only a part came may be an error to ffmpeg; that it is counted as whole is what must not happen.
  const count = await encodeFrames({ box }, { ...size, fps: 24, frames, outputPath, folder, onProgress }).catch(
    () => 0,
  );
  expect(hasBegun).toBe(true);
  expect(count).toBeLessThan(1_000_000);
  expect(await frames.result).toMatchObject({ signal: 'SIGKILL' });
});
