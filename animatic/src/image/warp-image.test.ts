import { describe, expect, test } from 'vitest';
import { createTexture, type Field, placesAlong, warpImage } from './warp-image.ts';

describe('a warped image', () => {
  test.each([
    [64, 48],
    [33, 17],
    [16, 16],
    [854, 20],
  ])('is exactly the image if nothing moves, at %d by %d', (width, height) => {
    const pixels = noise(width, height);
    expect(warped(pixels, width, height, (x, y) => [x, y])).toEqual(pixels);
  });

  test('keeps every pixel unchanged if it moves by whole pixels', () => {
    const pixels = noise(64, 48);
    const moved = warped(pixels, 64, 48, (x, y) => [x + 3, y + 2]);
    expect(moved[10 * 64 + 20]).toBe(pixels[12 * 64 + 23]);
  });

  test('is the mean of neighbouring pixels between them, colour by colour', () => {
    const [one, other] = [rgb(0, 100, 200), rgb(100, 200, 0)];
    const pixels = Int32Array.of(one, other, one, other);
    const [first] = warped(pixels, 2, 2, () => [0.5, 0.5]);
    expect(first).toBe(rgb(50, 150, 100));
  });

  test('never shows anything outside the image', () => {
    const pixels = new Int32Array(40 * 40).fill(rgb(200, 10, 90));
    for (const beyond of [-1000, 1000]) {
      expect(warped(pixels, 40, 40, (x, y) => [x + beyond, y - beyond])).toEqual(pixels);
    }
  });

  test('has no seams between the cells of the field', () => {
    const width = 200;
    const pixels = Int32Array.from({ length: width * 40 }, (_, index) =>
      rgb(index % width, index % width, index % width),
    );
    const grown = warped(pixels, width, 40, (x, y) => [20 + 0.8 * x, y]);
    for (let x = 1; x < width; x++) {
      const step = ((grown[x] ?? 0) & 0xff) - ((grown[x - 1] ?? 0) & 0xff);
      expect(step === 0 || step === 1).toBe(true);
    }
  });
});

function rgb(red: number, green: number, blue: number): number {
  return (0xff << 24) | (blue << 16) | (green << 8) | red;
}

function noise(width: number, height: number): Int32Array {
  return Int32Array.from({ length: width * height }, (_, index) => Math.imul(index + 1, 0x9e3779b1) | (0xff << 24));
}

function warped(
  pixels: Int32Array,
  width: number,
  height: number,
  seenAt: (x: number, y: number) => [number, number],
): Int32Array {
  const placesX = placesAlong(width);
  const seen = placesAlong(height).flatMap((y) => placesX.map((x) => seenAt(x, y)));
  const field: Field = {
    columns: placesX.length,
    rows: seen.length / placesX.length,
    x: Float64Array.from(seen, ([x]) => x),
    y: Float64Array.from(seen, ([, y]) => y),
  };
  const target = new Int32Array(width * height);
  warpImage(createTexture(pixels, width, height), field, target);
  return target;
}
