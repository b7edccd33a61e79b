import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { createFrameDrawer } from './draw-frame.ts';

const size = { width: 160, height: 90 };
const frameCount = 24;
/** A camera move is farthest from where it began here. */
const last = frameCount - 1;
const seeds = Array.from({ length: 4 }, (_, seed) => seed);

describe('a subject', () => {
  test.each(['person', 'car', 'cat', 'dog', 'horse', 'robot'])('by the sea is on sand: %s', (subject) => {
    for (const seed of seeds) {
      const { red, blue } = pixelAt(frameOf(`${subject} by the sea, summer day, clear sky`, seed), 4, 84);
      expect(red, `seed ${seed}`).toBeGreaterThan(blue);
    }
  });

  test('that floats is on a lake in the mountains', () => {
    for (const seed of seeds) {
      const { green, blue } = pixelAt(frameOf('boat in the mountains, summer day, clear sky', seed), 4, 76);
      expect(blue, `seed ${seed}`).toBeGreaterThan(green);
    }
  });

  test.each(['over the city', 'over the mountains, aerial view', 'in the desert, close-up'])(
    'is not cut off by the top of the frame: a balloon %s',
    (place) => {
      for (const seed of seeds) {
        for (const frameIndex of [0, last]) {
          const frame = frameOf(`a red balloon ${place}, summer day, clear sky`, seed, frameIndex);
          const reds = redPixels(frame);
          expect(reds.length, `seed ${seed}`).toBeGreaterThan(50);
          expect(reds[0], `seed ${seed}, frame ${frameIndex}`).toBeGreaterThan(size.width);
        }
      }
    },
  );
});

test.each([3, 7, 15])('no tree on the quay hides the boat on the river, seed %d', (seed) => {
  // A tree would hide half of the red pixels.
  expect(redPixels(frameOf('a red boat in the city, summer day, clear sky', seed)).length).toBeGreaterThan(220);
});

test('no peak is cut off by the top of the frame, even seen from above', () => {
  for (const seed of seeds) {
    const frame = frameOf('mountains from above, summer day, clear sky', seed);
    // A clear sky has only grain, so a large step would be a peak.
    expect(largestStep(frame, 0), `seed ${seed}`).toBeLessThan(25);
  }
});

test('the foreground that passes by does not hide the subject', () => {
  for (const frameIndex of Array.from({ length: frameCount / 2 }, (_, index) => 2 * index)) {
    const frame = frameOf('a car in the forest, summer day, clear sky', 0, frameIndex);
    const isDark = (x: number) => Object.values(pixelAt(frame, x, size.height / 2)).every((value) => value < 60);
    const darkCount = Array.from({ length: size.width }, (_, x) => x).filter(isDark).length;
    expect(darkCount, `frame ${frameIndex}`).toBeLessThan(0.15 * size.width);
  }
});

test.each([
  ['desert', 7],
  ['desert', 21],
  ['a car in the desert', 2],
])('the nearest dune has no edge within the frame: %s, seed %d', (scene, seed) => {
  for (const frameIndex of [12, 18, last]) {
    const frame = frameOf(`${scene}, summer day, clear sky, tilt down`, seed, frameIndex);
    expect(largestStep(frame, size.height - 1), `frame ${frameIndex}`).toBeLessThan(25);
  }
});

function frameOf(prompt: string, seed: number, frameIndex = 0): Buffer {
  const canvas = createCanvas(size.width, size.height);
  const spec = { prompt, seed, ...size, fps: 6, frameCount };
  createFrameDrawer(spec, null)(canvas.getContext('2d', { alpha: false }), frameIndex);
  return Buffer.from(canvas.data());
}

function pixelAt(frame: Buffer, x: number, y: number) {
  const at = 4 * (y * size.width + x);
  return { red: frame[at] ?? 0, green: frame[at + 1] ?? 0, blue: frame[at + 2] ?? 0 };
}

/** Returns the largest difference between neighbouring pixels of a row. */
function largestStep(frame: Buffer, y: number): number {
  const row = Array.from({ length: size.width }, (_, x) => pixelAt(frame, x, y).red);
  return Math.max(...row.slice(1).map((red, x) => Math.abs(red - (row[x] ?? 0))));
}

/** Returns the pixels that have the colour of a red subject, from top to bottom. */
function redPixels(frame: Buffer): number[] {
  return Array.from({ length: size.width * size.height }, (_, pixel) => pixel).filter((pixel) => {
    const { red, green, blue } = pixelAt(frame, pixel % size.width, Math.floor(pixel / size.width));
    return red > 1.6 * Math.max(green, blue);
  });
}
