import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Box, createBox } from '@kinora/boxes/box';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { createCanvas } from '@napi-rs/canvas';
import { beforeAll, expect, test } from 'vitest';
import { encodeDrawInput, imageUndecodableExitCode } from './draw-input.ts';
import type { FrameSpec } from './frame-spec.ts';
import { drawReadable } from './render-animatic.ts';

const program = fileURLToPath(new URL('draw-child.ts', import.meta.url));
const limits = { memoryBytes: 256 * 2 ** 20, cpuSeconds: 60, fileSizeBytes: 0, timeoutMilliseconds: 300_000 };
const spec: FrameSpec = { prompt: 'rain\non glass', seed: 3, width: 320, height: 180, fps: 24, frameCount: 5 };
const folder = temporaryFolder('draw-child');
let box: Box;

beforeAll(async () => {
  box = await createBox({});
});

/** Runs the child as the engine does and hashes what it draws, so that a long video need not fit in memory. */
async function draw(spec: FrameSpec, image: Uint8Array | null = null) {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const { exitCode } = await box.run({
    program: 'node',
    arguments: [program],
    limits,
    folder,
    readable: drawReadable,
    stdin: encodeDrawInput(spec, image),
    onStdout(chunk) {
      sizeBytes += chunk.length;
      hash.update(chunk);
    },
  });
  return { exitCode, sizeBytes, digest: hash.digest('hex') };
}

test('the drawing child draws every frame whole, with the same bytes in every run', async () => {
  const first = await draw(spec);
  expect(first).toMatchObject({ exitCode: 0, sizeBytes: 5 * 320 * 180 * 4 });
  expect(await draw(spec)).toEqual(first);
  expect((await draw({ ...spec, seed: 4 })).digest).not.toBe(first.digest);
});

test('the drawing child can draw a video that is larger than the memory of its box', async () => {
  const long = { ...spec, width: 1280, height: 720, frameCount: 100 };
  expect(await draw(long)).toMatchObject({ exitCode: 0, sizeBytes: 100 * 1280 * 720 * 4 });
});

test('the drawing child starts from an image, and reports an image that it cannot decode', async () => {
  const image = createCanvas(320, 180).toBuffer('image/png');
  expect(await draw(spec, image)).toMatchObject({ exitCode: 0, sizeBytes: 5 * 320 * 180 * 4 });
  const broken = Buffer.concat([image.subarray(0, 40), Buffer.alloc(400, 1)]);
  expect(await draw(spec, broken)).toMatchObject({ exitCode: imageUndecodableExitCode, sizeBytes: 0 });
});
