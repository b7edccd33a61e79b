import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBox } from '@kinora/boxes/box';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { encodeFrames } from '@kinora/boxes/encode-frames';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { expect, test } from 'vitest';
import { createVideo } from './video.ts';

const box = await createBox({});
const folder = temporaryFolder('conform-encoded');

const size = { width: 854, height: 480 };
const limits = { memoryBytes: 2 ** 31, cpuSeconds: 20, fileSizeBytes: 0, timeoutMilliseconds: hangLimitMilliseconds };

/** Returns the file from its `mdat` box on, which comes last in our files. */
function mediaData(file: Buffer): Buffer {
  return file.subarray(file.indexOf('mdat'));
}

test('the output of the encoder is delivered bit for bit, because conform does not encode it a second time', async () => {
  const pattern = `-f lavfi -i testsrc=s=${size.width}x${size.height}:r=24 -frames:v 24 -f rawvideo -pix_fmt rgba`;
  await debianFfmpeg(`${pattern} frames.raw`, folder);
  const write = `process.stdout.write(require('node:fs').readFileSync('frames.raw'))`;
  const frames = box.spawn({ program: 'node', arguments: ['-e', write], limits, folder });
  const encodedPath = join(folder, 'encoded.mp4');
  expect(await encodeFrames({ box }, { ...size, fps: 24, frames, outputPath: encodedPath, folder })).toBe(24);
  const out = join(folder, 'out');
  await mkdir(out);
  const target = { ...size, fps: 24, frameCount: 24 };
  const { videoPath, properties } = await createVideo({ box }).conform(encodedPath, target, out);
  expect(properties).toMatchObject({ ...target, isFastStart: true });
  expect(mediaData(await readFile(videoPath)).equals(mediaData(await readFile(encodedPath)))).toBe(true);
});
