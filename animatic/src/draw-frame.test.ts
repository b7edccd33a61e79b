import { createHash } from 'node:crypto';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { aspectRatios, canvasSize } from './contact-sheets/canvas-size.ts';
import { createFrameDrawer } from './draw-frame.ts';
import { createLabel } from './drawing/draw-label.ts';
import type { FrameSpec } from './frame-spec.ts';
import { distanceBetween } from './picture-distance.fixture.ts';
import { scenes } from './scenes/scenes.ts';

const spec: FrameSpec = { prompt: 'a boat at dusk', seed: 7, width: 160, height: 90, fps: 24, frameCount: 24 };
/** A camera move is farthest from its middle here and at the start. */
const last = spec.frameCount - 1;
const sceneNames = Object.keys(scenes);

/** A sixth of the smallest size that the service delivers, in each of the six aspect ratios. */
const smallSizes = aspectRatios.map((ratio) => {
  const { width, height } = canvasSize(480, ratio);
  return { ratio, width: Math.round(width / 6), height: Math.round(height / 6) };
});

describe('the frames of a video', () => {
  test.each(sceneNames)('have the same bytes for the same input, whatever was drawn before: %s', (scene) => {
    const prompt = `${scene} with a bird in the rain, pan left`;
    const whole = allFrames({ ...spec, prompt, frameCount: 6 });
    const repeated = allFrames({ ...spec, prompt, frameCount: 6 });
    expect(digestOf(repeated)).toBe(digestOf(whole));
    expect(frameOf({ ...spec, prompt, frameCount: 6 }, 4)).toEqual(whole[4]);
  });

  test.each(sceneNames)('show a different picture for a different seed: %s', (scene) => {
    const pictures = [1, 2, 3].map((seed) => frameOf({ ...spec, prompt: scene, seed }, 0));
    const distances = [0, 1, 2].map((index) => distance(pictures[index], pictures[(index + 1) % 3]).mean);
    // Noise and small shifts stay below 1.2, where the distance from black to white is 100.
    expect(Math.min(...distances)).toBeGreaterThan(1.5);
  });

  test.each([
    ['a word of the prompt', { prompt: 'a boat at dawn' }],
    ['the prompt', { prompt: 'a forest in winter' }],
  ])('show a different picture if %s changes', (_name, change) => {
    expect(distance(frameOf(spec, 0), frameOf({ ...spec, ...change }, 0)).mean).toBeGreaterThan(3);
  });

  test('show the same picture at another size', () => {
    const large = createCanvas(320, 180);
    createFrameDrawer({ ...spec, width: 320, height: 180 }, null)(large.getContext('2d', { alpha: false }), 0);
    const small = createCanvas(spec.width, spec.height);
    small.getContext('2d').drawImage(large, 0, 0, spec.width, spec.height);
    expect(distance(Buffer.from(small.data()), frameOf(spec, 0)).mean).toBeLessThan(2);
  });

  test('all differ from each other', () => {
    const frames = allFrames(spec);
    expect(new Set(frames.map((frame) => digestOf([frame]))).size).toBe(spec.frameCount);
  });
});

describe('a video whose prompt names no camera move loops without a jump', () => {
  const wishes = ['with a train at dawn', 'in a storm', 'in snow with a balloon'];
  test.each(sceneNames.flatMap((scene) => wishes.map((wish) => `${scene} ${wish}`)))('%s', (prompt) => {
    const frames = allFrames({ ...spec, prompt, width: 96, height: 54, fps: 12, frameCount: 30 });
    const steps = frames.map((frame, index) => meanStep(frame, frames[(index + 1) % frames.length]));
    const jump = steps.pop() ?? Number.POSITIVE_INFINITY; // from the last to the first
    // A flash of lightning is a jump too, so the largest steps do not count.
    const usual = steps.toSorted((one, other) => one - other).at(Math.floor(0.9 * steps.length)) ?? 0;
    expect(jump).toBeLessThanOrEqual(1.1 * usual + 0.1);
  });
});

describe('in every aspect ratio', () => {
  const cameras = ['pan left', 'tilt up', 'zoom out', 'dolly shot', 'orbit shot', 'aerial view', 'close-up'];

  test.each(sceneNames)('every pixel of every frame is painted, wherever the camera goes: %s', (scene) => {
    for (const [index, { ratio, width, height }] of smallSizes.entries()) {
      const camera = cameras[(index + sceneNames.indexOf(scene)) % cameras.length];
      const draw = createFrameDrawer({ ...spec, prompt: `${scene}, ${camera}`, width, height }, null);
      for (const frameIndex of [0, 6, 12, 18, last]) {
        // An unpainted pixel would be white once and black once.
        const [onWhite, onBlack] = ['#fff', '#000'].map((ground) =>
          drawOn(ground, { width, height }, draw, frameIndex),
        );
        expect(onWhite, `${ratio}, ${camera}, frame ${frameIndex}`).toEqual(onBlack);
      }
    }
  });

  test.each(aspectRatios)('the label is in the lower right corner of every frame: %s', (ratio) => {
    const size = canvasSize(480, ratio); // the smallest size at which the strokes are white in the middle
    const strokes = labelPixels(size);
    expect(strokes.length).toBeGreaterThan(20);
    const isInCorner = (pixel: number) =>
      pixel % size.width > size.width / 2 && Math.floor(pixel / size.width) > size.height * 0.8;
    expect(strokes.every(isInCorner)).toBe(true);
    const draw = createFrameDrawer({ ...spec, prompt: 'forest at night', ...size }, null);
    for (const frameIndex of [0, 12, 23]) {
      const frame = drawOn('#000', size, draw, frameIndex);
      const brightness = strokes.map((pixel) => frame[4 * pixel] ?? 0);
      expect(Math.min(...brightness)).toBeGreaterThan(190);
    }
  });
});

type Size = Pick<FrameSpec, 'width' | 'height'>;

function drawOn(
  ground: string,
  { width, height }: Size,
  draw: ReturnType<typeof createFrameDrawer>,
  frameIndex: number,
) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  draw(context, frameIndex);
  return Buffer.from(canvas.data());
}

function frameOf(spec: FrameSpec, frameIndex: number): Buffer {
  return drawOn('#000', spec, createFrameDrawer(spec, null), frameIndex);
}

function allFrames(spec: FrameSpec): Buffer[] {
  const canvas = createCanvas(spec.width, spec.height);
  const context = canvas.getContext('2d', { alpha: false });
  const draw = createFrameDrawer(spec, null);
  return Array.from({ length: spec.frameCount }, (_, frameIndex) => {
    draw(context, frameIndex);
    return Buffer.from(canvas.data());
  });
}

function digestOf(frames: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const frame of frames) hash.update(frame);
  return hash.digest('hex');
}

function distance(one: Buffer = Buffer.alloc(0), other: Buffer = Buffer.alloc(0)) {
  const { width, height } = spec;
  return distanceBetween({ width, height, data: one }, { width, height, data: other });
}

/** Returns by how many levels a byte changes from one frame to the other, on average. */
function meanStep(one: Buffer, other: Buffer = Buffer.alloc(one.length)): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += Math.abs((one[index] ?? 0) - (other[index] ?? 0));
  return sum / one.length;
}

/** Returns the pixels in the middle of the label's strokes: its brightest pixels on black. */
function labelPixels(size: Size): number[] {
  const label = createLabel(size);
  const onBlack = drawOn('#000', size, (context) => label(context), 0);
  return Array.from({ length: size.width * size.height }, (_, pixel) => pixel).filter(
    (pixel) => (onBlack[4 * pixel] ?? 0) > 205,
  );
}
