import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type BoxChild, createBox } from './box.ts';
import { encodeFrames } from './encode-frames.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';

const box = await createBox({});
const folder = temporaryFolder('encode');

const size = { width: 854, height: 480 };
const limits = { memoryBytes: 2 ** 28, cpuSeconds: 20, fileSizeBytes: 0, timeoutMilliseconds: 300_000 };

/** Starts a child that writes frames of a moving pattern, and ends with status 7 when its reader is gone. */
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

it('encoding the same frames twice gives the same file', async () => {
  const encode = async (name: string) => {
    const outputPath = join(folder, name);
    const reported: number[] = [];
    const onProgress = (frameCount: number) => reported.push(frameCount);
    const frames = startFrames(24);
    expect(await encodeFrames({ box }, { ...size, fps: 24, frames, outputPath, folder, onProgress })).toBe(24);
    expect(reported.at(-1)).toBe(24);
    expect(reported).toEqual(reported.toSorted((one, other) => one - other));
    expect(await frames.result).toMatchObject({ exitCode: 0 });
    return outputPath;
  };
  const [first, second] = [await encode('first.mp4'), await encode('second.mp4')];
  const bytes = await readFile(first);
  expect(bytes.equals(await readFile(second))).toBe(true);
});

it('an abort ends the encoder, and the child that writes the frames gets an error instead of blocking', async () => {
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

it('encoding fails with an error if the encoder cannot write its file', async () => {
  const frames = startFrames(1_000_000);
  const outputPath = join(folder, 'no-such-folder', 'output.mp4');
  await expect(encodeFrames({ box }, { ...size, fps: 24, frames, outputPath, folder })).rejects.toThrow(
    'ffmpeg failed to encode the frames',
  );
  expect(await frames.result).toMatchObject({ exitCode: 7 });
});

it('if the frames end early, only those that arrived whole are counted', async () => {
  const frames = startFrames(1_000_000);
  let hasBegun = false;
  const onProgress = () => {
    hasBegun = true;
    frames.kill();
  };
  const outputPath = join(folder, 'early.mp4');
  // ffmpeg may reject a frame of which only a part arrived, but it must not count that frame as whole.
  const count = await encodeFrames({ box }, { ...size, fps: 24, frames, outputPath, folder, onProgress }).catch(
    () => 0,
  );
  expect(hasBegun).toBe(true);
  expect(count).toBeLessThan(1_000_000);
  expect(await frames.result).toMatchObject({ signal: 'SIGKILL' });
});
