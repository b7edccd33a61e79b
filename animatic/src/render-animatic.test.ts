import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Box, type BoxCommand, createBox } from '@kinora/boxes/box';
import { encodeFrames } from '@kinora/boxes/encode-frames';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { createCanvas } from '@napi-rs/canvas';
import { beforeAll, expect, test } from 'vitest';
import type { JobInput } from './job-input.ts';
import { type RenderOptions, renderAnimatic } from './render-animatic.ts';

const input: JobInput = { prompt: 'dunes', seed: 1, width: 320, height: 180, fps: 24, frameCount: 12, image: null };
const folder = temporaryFolder('render-animatic');
let box: Box;

beforeAll(async () => {
  box = await createBox({});
});

/** Returns the real box, but changes the commands that it starts. */
function boxWith(change: (command: BoxCommand) => BoxCommand): Box {
  return {
    isolation: box.isolation,
    run: (command) => box.run(change(command)),
    spawn: (command) => box.spawn(change(command)),
  };
}

function render(input: JobInput, options: Partial<RenderOptions> & { box?: Box } = {}) {
  const defaults = { folder, outputPath: join(folder, 'output.mp4'), signal: new AbortController().signal };
  return renderAnimatic({ box: options.box ?? box, encodeFrames }, input, {
    ...defaults,
    onFrame: () => undefined,
    ...options,
  });
}

test('a render encodes every frame and leaves only the video in its folder', async () => {
  const reported: number[] = [];
  await render(input, { onFrame: (frameCount) => reported.push(frameCount) });
  expect(reported.at(-1)).toBe(12);
  expect(await readdir(folder)).toEqual(['output.mp4']);
  expect((await stat(join(folder, 'output.mp4'))).size).toBeGreaterThan(1000);
});

test('if the image cannot be decoded, the error names the image and not the encoder that got no frames', async () => {
  const whole = createCanvas(320, 180).toBuffer('image/png');
  const image = Buffer.concat([whole.subarray(0, 40), Buffer.alloc(400, 1)]);
  await expect(render({ ...input, image })).rejects.toMatchObject({
    code: 'engine_crashed',
    message: 'the image could not be decoded',
  });
});

test('a drawing that takes too long or runs out of memory fails with its own code and ends the encoder', async () => {
  const endless = { ...input, frameCount: 100_000 };
  const hasty = boxWith((command) =>
    command.program === 'node' ? { ...command, limits: { ...command.limits, timeoutMilliseconds: 700 } } : command,
  );
  await expect(render(endless, { box: hasty })).rejects.toMatchObject({ code: 'generation_stalled' });
  const poor = boxWith((command) =>
    command.program === 'node' ? { ...command, limits: { ...command.limits, memoryBytes: 12 * 2 ** 20 } } : command,
  );
  await expect(render({ ...endless, width: 2560, height: 1440 }, { box: poor })).rejects.toMatchObject({
    code: 'engine_out_of_memory',
  });
});

test('an encoder that dies ends the drawing', async () => {
  const small = boxWith((command) =>
    command.program === 'ffmpeg' ? { ...command, limits: { ...command.limits, fileSizeBytes: 10_000 } } : command,
  );
  await expect(render({ ...input, frameCount: 100_000 }, { box: small })).rejects.toMatchObject({
    code: 'engine_crashed',
    message: 'the video could not be encoded',
  });
});

test('a video with fewer frames than requested is a failure', async () => {
  const encodeFewer: typeof encodeFrames = async (parts, options) => (await encodeFrames(parts, options)) - 1;
  const options = { folder, outputPath: join(folder, 'output.mp4'), signal: new AbortController().signal };
  await expect(
    renderAnimatic({ box, encodeFrames: encodeFewer }, input, { ...options, onFrame: () => undefined }),
  ).rejects.toMatchObject({ code: 'engine_crashed', message: 'the video could not be encoded' });
});

test('a cancel ends the drawing and the encoder at once', async () => {
  const cancel = new AbortController();
  let lastFrame = 0;
  const onFrame = (frameCount: number) => {
    lastFrame = frameCount;
    cancel.abort();
  };
  const cancelled = render({ ...input, frameCount: 100_000 }, { signal: cancel.signal, onFrame });
  await expect(cancelled).rejects.toMatchObject({ name: 'RenderFailed' });
  expect(lastFrame).toBeLessThan(1_000); // of 100,000
});
