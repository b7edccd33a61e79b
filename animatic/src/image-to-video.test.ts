import { createHash } from 'node:crypto';
import { type Canvas, createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { createDice } from './dice.ts';
import { createFrameDrawer } from './draw-frame.ts';
import type { DrawFrame, FrameSpec } from './frame-spec.ts';
import { createImageDrawer } from './image-to-video.ts';
import { drawPatchwork } from './patchwork.fixture.ts';
import { readPrompt } from './storyboard/read-prompt.ts';

const spec: FrameSpec = { prompt: 'a quiet afternoon', seed: 7, width: 320, height: 180, fps: 24, frameCount: 96 };
const last = spec.frameCount - 1;
/** The frame at which a camera that nobody directs turns back. */
const turn = Math.round(0.62 * spec.frameCount);
const prompts = [
  'a quiet afternoon',
  'pan left',
  'pan right',
  'tilt up',
  'tilt down',
  'zoom in',
  'zoom out',
  'dolly in',
  'dolly out',
  'orbit left',
  'aerial',
  'close-up',
  'slow motion',
  'pan and tilt and zoom',
  'pan left and zoom out',
  'aerial orbit with a dolly',
];

const named = prompts.slice(1);

describe('a video from an image', () => {
  test.each(prompts.filter((prompt) => !prompt.includes('out')))(
    'starts with exactly the image: %s',
    async (prompt) => {
      expect(frameOf(await drawerOf({ ...spec, prompt }), 0)).toEqual(pixelsOf(drawPatchwork(spec)));
    },
  );

  test.each(prompts.filter((prompt) => prompt.includes('out')))('ends with the whole image: %s', async (prompt) => {
    const image = pixelsOf(drawPatchwork(spec));
    const draw = await drawerOf({ ...spec, prompt });
    expect(frameOf(draw, spec.frameCount)).toEqual(image);
    expect(meanDifference(frameOf(draw, last), image)).toBeLessThan(1);
  });

  test('starts with exactly the image, except for the label, if a whole frame is drawn', async () => {
    const frame = frameOf(createFrameDrawer(spec, await imageOf(drawPatchwork(spec))), 0);
    const image = pixelsOf(drawPatchwork(spec));
    const isLabel = (byte: number) => {
      const pixel = byte >> 2;
      return pixel % spec.width > 0.7 * spec.width && pixel / spec.width > 0.85 * spec.height;
    };
    expect(frame.every((value, byte) => isLabel(byte) || value === image[byte])).toBe(true);
    expect(frame).not.toEqual(image);
  });

  test('never shows a border, whatever the seed and the move', async () => {
    const small = { ...spec, width: 48, height: 28 };
    const image = await imageOf(drawPatchwork(small));
    for (const prompt of prompts) {
      for (let seed = 0; seed < 20; seed++) {
        const draw = await drawerOf({ ...small, prompt, seed }, image);
        // Only the image has a red of at least 64 everywhere; anything beyond its border has less.
        for (const index of [0, turn >> 1, last])
          expect(leastRed(frameOf(draw, index, small))).toBeGreaterThanOrEqual(60);
      }
    }
  });

  test('is black where the image is transparent', async () => {
    const image = await imageOf(createCanvas(spec.width, spec.height));
    const frame = frameOf(await drawerOf(spec, image), turn);
    expect(frame.every((value, byte) => value === (byte % 4 === 3 ? 255 : 0))).toBe(true);
  });

  test.each([
    ['pan right', -1],
    ['pan left', 1],
    ['orbit right', -1],
    ['orbit left', 1],
  ])('moves near parts more than far parts: %s', async (prompt, side) => {
    const frame = frameOf(await drawerOf({ ...spec, prompt }, await imageOf(sharpBelow(spec))), last);
    const far = markX(frame, 0, spec.height / 2);
    const near = markX(frame, spec.height / 2, spec.height);
    expect(side * (near - far)).toBeGreaterThan(3);
  });

  test('ends where it began, without a jump, if the prompt names no camera move', async () => {
    const draw = await drawerOf(spec);
    const first = frameOf(draw, 0);
    expect(frameOf(draw, spec.frameCount)).toEqual(first);
    expect(meanDifference(frameOf(draw, last), first)).toBeLessThan(1);
    expect(meanDifference(frameOf(draw, turn), first)).toBeGreaterThan(1);
  });

  test.each(named)('moves away from where it began, and does not come back: %s', async (prompt) => {
    const draw = await drawerOf({ ...spec, prompt });
    const first = frameOf(draw, 0);
    expect(meanDifference(frameOf(draw, last), first)).toBeGreaterThan(1);
  });

  test.each([
    ['zoom in', -1],
    ['The camera moves in slowly', -1],
    ['zoom out', 1],
    ['dolly out', 1],
  ])('shows less and less of the image on a move in, and more and more on a move out: %s', async (prompt, way) => {
    const draw = await drawerOf({ ...spec, prompt }, await imageOf(twoMarks(spec)));
    const apart = [0, 0.25, 0.5, 0.75, 1].map((phase) => marksApart(frameOf(draw, Math.round(phase * last))));
    for (const [index, between] of apart.slice(1).entries()) {
      expect(way * ((apart[index] ?? 0) - between)).toBeGreaterThan(0.5);
    }
  });

  test.each(['pan left and zoom out', 'pan left'])(
    'pans in the direction of the prompt to the end: %s',
    async (prompt) => {
      const draw = await drawerOf({ ...spec, prompt }, await imageOf(sharpBelow(spec)));
      // What is seen moves right while the camera turns left.
      const marks = [0, 0.5, 1].map((phase) => markX(frameOf(draw, Math.round(phase * last)), 0, spec.height / 2));
      expect(marks[1]).toBeGreaterThan((marks[0] ?? 0) + 1);
      expect(marks[2]).toBeGreaterThan((marks[1] ?? 0) + 1);
    },
  );

  test('is the same for the same input, and differs for another seed or prompt', async () => {
    const digests = await Promise.all(
      [
        spec,
        { ...spec },
        { ...spec, seed: 8 },
        { ...spec, prompt: 'a loud afternoon' },
        { ...spec, prompt: 'orbit' },
      ].map(digestOf),
    );
    expect(digests[1]).toBe(digests[0]);
    expect(new Set(digests).size).toBe(4);
  });

  test('does not depend on which frames were drawn before', async () => {
    const draw = await drawerOf(spec);
    frameOf(draw, 3);
    expect(frameOf(draw, turn)).toEqual(frameOf(await drawerOf(spec), turn));
  });

  test('does not use more memory with every frame', async () => {
    const large = { ...spec, width: 1280, height: 720 };
    const draw = await drawerOf(large);
    const context = createCanvas(large.width, large.height).getContext('2d', { alpha: false });
    draw(context, 0);
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 1; index < 20; index++) draw(context, index);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(large.width * large.height * 4);
  });
});

async function drawerOf(spec: FrameSpec, image?: Image): Promise<DrawFrame> {
  const diceFor = (part: string) => createDice(`${spec.seed}\n${part}\n${spec.prompt}`);
  return createImageDrawer(spec, readPrompt(spec.prompt), image ?? (await imageOf(drawPatchwork(spec))), diceFor);
}

/** Draws an image that is pale above and full of detail below, with a green mark in the middle of each half. */
function sharpBelow({ width, height }: FrameSpec): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#c8ccd0';
  context.fillRect(0, 0, width, height);
  for (let x = 0; x < width; x += 4) {
    context.fillStyle = x % 8 === 0 ? '#705030' : '#402010';
    context.fillRect(x, height / 2, 4, height / 2);
  }
  context.fillStyle = '#00ff00';
  for (const y of [0.2, 0.8]) context.fillRect(width / 2 - 5, y * height, 10, 10);
  return canvas;
}

/** Draws a plain image with two green marks, left and right of the middle. */
function twoMarks({ width, height }: FrameSpec): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#c8ccd0';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#00ff00';
  for (const x of [0.4, 0.6]) context.fillRect(x * width - 3, height / 2 - 12, 6, 24);
  return canvas;
}

async function imageOf(canvas: Canvas): Promise<Image> {
  return await loadImage(canvas.toBuffer('image/png'));
}

function pixelsOf(canvas: Canvas): Buffer {
  return Buffer.from(canvas.data());
}

function frameOf(draw: DrawFrame, frameIndex: number, { width, height }: FrameSpec = spec): Buffer {
  const canvas = createCanvas(width, height);
  draw(canvas.getContext('2d', { alpha: false }), frameIndex);
  return pixelsOf(canvas);
}

async function digestOf(spec: FrameSpec): Promise<string> {
  const draw = await drawerOf(spec);
  const hash = createHash('sha256');
  for (const index of [0, 10, turn]) hash.update(frameOf(draw, index));
  return hash.digest('hex');
}

function leastRed(frame: Buffer): number {
  let least = 255;
  for (let byte = 0; byte < frame.length; byte += 4) least = Math.min(least, frame[byte] ?? 0);
  return least;
}

function meanDifference(one: Buffer, other: Buffer): number {
  return one.reduce((sum, value, byte) => sum + Math.abs(value - (other[byte] ?? 0)), 0) / one.length;
}

/** Returns how far the outermost green pixels are from each other. */
function marksApart(frame: Buffer): number {
  const columns = greenColumns(frame, 0, spec.height);
  return Math.max(...columns) - Math.min(...columns);
}

/** Returns the x of the green mark between two heights. */
function markX(frame: Buffer, top: number, bottom: number): number {
  const columns = greenColumns(frame, top, bottom);
  return columns.reduce((sum, x) => sum + x, 0) / columns.length;
}

function greenColumns(frame: Buffer, top: number, bottom: number): number[] {
  const columns: number[] = [];
  for (let pixel = top * spec.width; pixel < bottom * spec.width; pixel++) {
    const [red = 0, green = 0, blue = 0] = frame.subarray(4 * pixel, 4 * pixel + 3);
    if (green > 200 && red < 90 && blue < 90) columns.push(pixel % spec.width);
  }
  return columns;
}
