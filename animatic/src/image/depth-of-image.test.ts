import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { type DepthMap, readDepth } from './depth-of-image.ts';

const width = 320;
const height = 180;

describe('the depth of an image', () => {
  test('is nearer at the bottom than at the top', () => {
    const depth = depthOf((context) => fill(context, '#8a5bd0', 0, 0, width, height));
    expect(at(depth, 0.5, 0.9)).toBeGreaterThan(at(depth, 0.5, 0.1) + 0.2);
  });

  test('is nearer where the image has detail', () => {
    const depth = depthOf((context) => {
      fill(context, '#808080', 0, 0, width, height);
      for (let x = 0; x < width / 2; x += 4) fill(context, '#a0a0a0', x, 0, 2, height);
    });
    expect(at(depth, 0.2, 0.4)).toBeGreaterThan(at(depth, 0.8, 0.4) + 0.1);
  });

  test('is farther where the image is pale', () => {
    const depth = depthOf((context) => {
      fill(context, '#e8ecf0', 0, 0, width / 2, height);
      fill(context, '#3060a0', width / 2, 0, width / 2, height);
    });
    expect(at(depth, 0.2, 0.3)).toBeLessThan(at(depth, 0.8, 0.3) - 0.05);
  });

  test('separates a subject from the background, from head to foot', () => {
    const depth = depthOf((context) => {
      fill(context, '#507050', 0, 0, width, height);
      fill(context, '#c04030', 140, 40, 40, 140);
    });
    const head = at(depth, 0.5, 0.35);
    expect(head).toBeGreaterThan(at(depth, 0.1, 0.35) + 0.3);
    expect(Math.abs(head - at(depth, 0.5, 0.9))).toBeLessThan(0.15);
  });

  test('stays within 0..1 and never changes abruptly, whatever the image', () => {
    const depth = depthOf((context) => {
      for (let index = 0; index < 400; index++) {
        const shade = Math.imul(index + 1, 0x9e3779b1) >>> 8;
        fill(context, `#${shade.toString(16).padStart(6, '0')}`, (shade >> 3) % width, (shade >> 9) % height, 24, 24);
      }
    });
    for (const [index, value] of depth.values.entries()) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      const next = index % depth.width < depth.width - 1 ? depth.values[index + 1] : value;
      expect(Math.abs(value - (next ?? value))).toBeLessThan(0.06);
    }
  });

  test.each([
    [16, 16],
    [640, 16],
    [16, 640],
  ])('can be estimated for an image of %d by %d', (small, other) => {
    const depth = readDepth(new Int32Array(small * other).fill(-1), small, other);
    expect(depth.values.every((value) => value >= 0 && value <= 1)).toBe(true);
  });
});

function fill(context: SKRSContext2D, colour: string, x: number, y: number, across: number, down: number): void {
  context.fillStyle = colour;
  context.fillRect(x, y, across, down);
}

function depthOf(draw: (context: SKRSContext2D) => void): DepthMap {
  const context = createCanvas(width, height).getContext('2d', { alpha: false });
  draw(context);
  const { data } = context.getImageData(0, 0, width, height);
  return readDepth(new Int32Array(data.buffer, data.byteOffset, width * height), width, height);
}

/** Returns the depth at a place given as fractions of the width and the height. */
function at({ width, height, values }: DepthMap, x: number, y: number): number {
  return values[Math.floor(y * height) * width + Math.floor(x * width)] ?? Number.NaN;
}
