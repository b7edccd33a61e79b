import { describe, expect, test } from 'vitest';
import { type CameraPose, stillCamera } from '../drawing/camera.ts';
import { createImageCamera } from './image-camera.ts';
import { placesAlong } from './warp-image.ts';

const width = 640;
const height = 360;
/** A depth map that is near at the bottom and far at the top, with something near in the far part. */
const depth = {
  width: 32,
  height: 18,
  values: Float32Array.from({ length: 32 * 18 }, (_, index) => {
    const away = Math.hypot((index % 32) - 16, Math.floor(index / 32) - 6);
    return Math.max(Math.floor(index / 32) / 17, 1 - 0.1 * away);
  }),
};
const seenBy = createImageCamera({ width, height, depth, focus: { x: 300, y: 200 } });
const places = placesAlong(height).flatMap((y) => placesAlong(width).map((x) => ({ x, y })));

describe('the camera of an image', () => {
  test('shows every place unmoved when it does not move', () => {
    const field = seenBy(stillCamera);
    for (const [index, { x, y }] of places.entries()) {
      expect(field.x[index]).toBeCloseTo(x, 9);
      expect(field.y[index]).toBeCloseTo(y, 9);
    }
  });

  test.each<[string, Partial<CameraPose>]>([
    ['aside', { x: 0.14 }],
    ['up', { y: -0.12 }],
    ['forward', { dolly: 1.25 }],
    ['around', { orbit: -0.14, roll: 0.01 }],
    ['everywhere', { x: -0.1, y: 0.08, zoom: 1.2, dolly: 1.15, roll: -0.02, orbit: 0.08 }],
    ['far too far', { x: 3, y: -2, roll: 0.5 }],
  ])('never shows anything outside the image when it moves %s', (_name, change) => {
    const field = seenBy({ ...stillCamera, ...change });
    const tiny = 1e-6;
    for (const index of places.keys()) {
      expect(field.x[index]).toBeGreaterThanOrEqual(-tiny);
      expect(field.y[index]).toBeGreaterThanOrEqual(-tiny);
      expect(field.x[index]).toBeLessThanOrEqual(width - 1 + tiny);
      expect(field.y[index]).toBeLessThanOrEqual(height - 1 + tiny);
    }
  });

  test.each<[string, Partial<CameraPose>]>([
    ['aside', { x: 0.14 }],
    ['aside, the other way', { x: -0.14 }],
    ['forward', { dolly: 1.25 }],
    ['around', { orbit: 0.14 }],
  ])('never folds the image over itself when it moves %s', (_name, change) => {
    const field = seenBy({ ...stillCamera, ...change });
    for (const [index, { x, y }] of places.entries()) {
      const isLastColumn = x === width - 1;
      const isLastRow = y === height - 1;
      const stepX = isLastColumn ? 1 : (field.x[index + 1] ?? 0) - (field.x[index] ?? 0);
      const stepY = isLastRow ? 1 : (field.y[index + field.columns] ?? 0) - (field.y[index] ?? 0);
      expect(Math.min(stepX, stepY)).toBeGreaterThan(0);
    }
  });

  test('enlarges near parts more than far parts when it moves forward', () => {
    const field = seenBy({ ...stillCamera, dolly: 1.25 });
    const seenAcross = (y: number) => {
      const row = placesAlong(height).indexOf(y) * field.columns;
      return (field.x[row + field.columns - 1] ?? 0) - (field.x[row] ?? 0);
    };
    expect(seenAcross(height - 1)).toBeLessThan(seenAcross(0));
    expect(seenAcross(0)).toBeLessThan(width - 1);
  });
});
