import { createHash } from 'node:crypto';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { createFrameDrawer, type FrameSpec } from './draw-frame.ts';

const spec: FrameSpec = { prompt: 'a lighthouse in fog', seed: 7, width: 320, height: 180, fps: 24, frameCount: 24 };

describe('the frames of a video', () => {
  test('are the same bytes for the same input', () => {
    expect(digestOf(spec)).toBe(digestOf({ ...spec }));
  });

  test('do not depend on which frames were drawn before', () => {
    expect(frameOf(spec, 20)).toEqual(allFrames(spec)[20]);
  });

  test.each([
    ['seed', { seed: 8 }],
    ['prompt', { prompt: 'a lighthouse in rain' }],
    ['width', { width: 336 }],
  ])('are others for another %s', (_name, change) => {
    expect(digestOf({ ...spec, ...change })).not.toBe(digestOf(spec));
  });

  test('move', () => {
    const digests = new Set(allFrames(spec).map((frame) => createHash('sha256').update(frame).digest('hex')));
    expect(digests.size).toBe(spec.frameCount);
  });

  test('are opaque', () => {
    const frame = frameOf(spec, 3);
    expect(frame.every((value, index) => index % 4 !== 3 || value === 255)).toBe(true);
  });
});

describe('the frames of a video from an image', () => {
  test('start with exactly the image', async () => {
    const image = await loadImage(pngOf(spec));
    expect(frameOf(spec, 0, image)).toEqual(pixelsOf(spec));
  });

  test('move over it by seed and prompt, and never show a border', async () => {
    const image = await loadImage(pngOf(spec));
    const last = spec.frameCount - 1;
    expect(frameOf(spec, last, image)).not.toEqual(frameOf(spec, 0, image));
    expect(digestOf({ ...spec, seed: 8 }, image)).not.toBe(digestOf(spec, image));
    expect(digestOf({ ...spec, prompt: 'other' }, image)).not.toBe(digestOf(spec, image));
    for (let seed = 0; seed < 20; seed++) {
      const frame = frameOf({ ...spec, seed }, last, image);
      // The test image has a red of at least 64 everywhere; the ground behind it has none.
      expect(frame.filter((_value, index) => index % 4 === 0).every((red) => red >= 60)).toBe(true);
    }
  });

  test('are the same bytes for the same input', async () => {
    expect(digestOf(spec, await loadImage(pngOf(spec)))).toBe(digestOf(spec, await loadImage(pngOf(spec))));
  });
});

function testImage({ width, height }: FrameSpec) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  for (let x = 0; x < width; x += 20) {
    for (let y = 0; y < height; y += 20) {
      context.fillStyle = `rgb(${64 + (x % 190)}, ${y % 256}, ${(x * y) % 256})`;
      context.fillRect(x, y, 20, 20);
    }
  }
  return canvas;
}

function pngOf(spec: FrameSpec): Buffer {
  return testImage(spec).toBuffer('image/png');
}

function pixelsOf(spec: FrameSpec): Buffer {
  return Buffer.from(testImage(spec).data());
}

function frameOf(spec: FrameSpec, frameIndex: number, image: Image | null = null): Buffer {
  const canvas = createCanvas(spec.width, spec.height);
  createFrameDrawer(spec, image)(canvas.getContext('2d', { alpha: false }), frameIndex);
  return Buffer.from(canvas.data());
}

function allFrames(spec: FrameSpec, image: Image | null = null): Buffer[] {
  const canvas = createCanvas(spec.width, spec.height);
  const context = canvas.getContext('2d', { alpha: false });
  const draw = createFrameDrawer(spec, image);
  return Array.from({ length: spec.frameCount }, (_, frameIndex) => {
    draw(context, frameIndex);
    return Buffer.from(canvas.data());
  });
}

function digestOf(spec: FrameSpec, image: Image | null = null): string {
  const hash = createHash('sha256');
  for (const frame of allFrames(spec, image)) hash.update(frame);
  return hash.digest('hex');
}
