import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { createBox } from './box.ts';
import { encodeFrames } from './encode.ts';
import { createVideo } from './video.ts';

vi.setConfig({ testTimeout: 20_000 });
const box = await createBox({});
const folder = await mkdtemp(join(tmpdir(), 'encode-test-'));
afterAll(() => rm(folder, { recursive: true }));

const size = { width: 854, height: 480 };

function drawFrame(index: number): Buffer {
  const frame = Buffer.alloc(size.width * size.height * 4, 255);
  for (let offset = 0; offset < frame.length; offset += 4) frame[offset] = (offset / 4 + index * 5) % 256;
  return frame;
}

/** From the media box to the end of the file: in our files it comes last. */
function mediaData(file: Buffer): Buffer {
  return file.subarray(file.indexOf('mdat'));
}

async function encode(name: string): Promise<string> {
  const outputPath = join(folder, name);
  const encoder = encodeFrames({ box }, { ...size, fps: 24, outputPath, folder });
  for (let index = 0; index < 24; index += 1) await encoder.writeFrame(drawFrame(index));
  await encoder.finish();
  return outputPath;
}

it('the same frames give the same file, which conform delivers as it is', async () => {
  const [first, second] = [await encode('first.mp4'), await encode('second.mp4')];
  const bytes = await readFile(first);
  expect(bytes.equals(await readFile(second))).toBe(true);
  const out = join(folder, 'out');
  await mkdir(out);
  const { videoPath, probe } = await createVideo({ box }).conform(first, { ...size, fps: 24, frameCount: 24 }, out);
  expect(probe).toMatchObject({ ...size, fps: 24, frameCount: 24, indexInFront: true });
  // The media data, bit for bit: what was encoded once is not encoded again.
  expect(mediaData(await readFile(videoPath)).equals(mediaData(bytes))).toBe(true);
});

it('a frame of the wrong size is refused, and an abort ends the encoder', async () => {
  const abort = new AbortController();
  const outputPath = join(folder, 'aborted.mp4');
  const encoder = encodeFrames({ box }, { ...size, fps: 24, outputPath, folder, signal: abort.signal });
  await expect(encoder.writeFrame(Buffer.alloc(10))).rejects.toThrow('wrong number of bytes');
  await encoder.writeFrame(drawFrame(0));
  const reason = new Error('the task was cancelled');
  abort.abort(reason);
  await expect(encoder.writeFrame(drawFrame(1))).rejects.toBe(reason);
  await expect(encoder.finish()).rejects.toBe(reason);
});

it('an encoder that dies is told to whoever writes, not waited for', async () => {
  const encoder = encodeFrames({ box }, { ...size, fps: 24, outputPath: join(folder, 'killed.mp4'), folder });
  await encoder.writeFrame(drawFrame(0));
  encoder.kill();
  const writing = (async () => {
    for (let index = 1; index < 100; index += 1) await encoder.writeFrame(drawFrame(index));
  })();
  await expect(writing).rejects.toThrow('ffmpeg did not encode');
  await expect(encoder.finish()).rejects.toThrow('ffmpeg did not encode');
});
