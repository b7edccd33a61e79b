import { blurred, smoothDepth } from './smooth-depth.ts';
import { createThumbnail, type Thumbnail } from './thumbnail.ts';

/** How near each part of an image seems, at a low resolution: 0 is the farthest, 1 the nearest. */
export interface DepthMap {
  width: number;
  height: number;
  values: Float32Array;
}

/** The weight of each cue. A cue is only a guess, so no cue may decide alone. */
const weights = { position: 0.4, focus: 0.22, standout: 0.42, haze: 0.3, middle: 0.1 };

/** Estimates depth as painters do: low parts are near, sharp or unusual ones in front, and pale high ones far. */
export function readDepth(pixels: Int32Array, width: number, height: number): DepthMap {
  const thumbnail = createThumbnail(pixels, width, height);
  const focus = softened(normalized(thumbnail.detail), thumbnail);
  const standout = normalized(distanceFromBorders(thumbnail));
  const haze = softened(paleness(thumbnail), thumbnail);
  const values = standout.map((distance, index) => {
    const low = (Math.floor(index / thumbnail.width) + 0.5) / thumbnail.height;
    const aside = (2 * ((index % thumbnail.width) + 0.5)) / thumbnail.width - 1;
    const farAway = (haze[index] ?? 0) * (1 - low);
    return (
      weights.position * low ** 1.3 +
      weights.focus * (focus[index] ?? 0) +
      // The sun stands out too, but it is high up and pale, and so counts as far.
      weights.standout * distance * (1 - 0.5 * Math.abs(aside)) * (1 - farAway) +
      weights.middle * (1 - aside * aside) * low -
      weights.haze * farAway
    );
  });
  standUp(values, standout, thumbnail);
  return { width: thumbnail.width, height: thumbnail.height, values: smoothDepth(thumbnail, values) };
}

/** Treats things that stand out as upright: every part of them becomes as near as their foot. */
function standUp(values: Float32Array, standout: Float32Array, { width }: Thumbnail): void {
  for (let index = values.length - 1 - width; index >= 0; index--) {
    const foot = values[index + width] ?? 0;
    const value = values[index] ?? 0;
    const belongs = Math.min(1, Math.max(0, 3 * (standout[index] ?? 0) - 1));
    if (foot > value) values[index] = value + (foot - value) * belongs;
  }
}

/** Returns how bright and colourless each cell is, 0..1; the air makes far things look like that. */
function paleness({ red, green, blue }: Thumbnail): Float32Array {
  return red.map((redHere, index) => {
    const most = Math.max(redHere, green[index] ?? 0, blue[index] ?? 0);
    const least = Math.min(redHere, green[index] ?? 0, blue[index] ?? 0);
    const saturation = most === 0 ? 0 : (most - least) / most;
    return ((most + least) / 510) * (1 - saturation);
  });
}

/** Blurs a cue that says something about a region rather than about a single cell. */
function softened(cue: Float32Array, { width, height }: Thumbnail): Float32Array {
  let soft = cue;
  for (let round = 0; round < 6; round++) soft = blurred(soft, width, height);
  return soft;
}

/** Returns how far each cell is from the closest colour of the upper and side borders, which subjects rarely touch. */
function distanceFromBorders({ width, height, red, green, blue }: Thumbnail): Float32Array {
  const borders: number[] = [];
  const spacing = 4;
  for (let x = 0; x < width; x += spacing) borders.push(x);
  for (let y = 0; y < 0.75 * height; y += spacing) borders.push(y * width, y * width + width - 1);
  return Float32Array.from(red, (redHere, index) => {
    let least = Number.POSITIVE_INFINITY;
    for (const border of borders) {
      const distance =
        Math.abs(redHere - (red[border] ?? 0)) +
        Math.abs((green[index] ?? 0) - (green[border] ?? 0)) +
        Math.abs((blue[index] ?? 0) - (blue[border] ?? 0));
      if (distance < least) least = distance;
    }
    return least;
  });
}

/** Scales a signal to 0..1, with 1 at its 95th percentile; a weak one stays weak, so that noise becomes no shape. */
function normalized(signal: Float32Array): Float32Array {
  const sorted = signal.toSorted();
  const high = Math.max(24, sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0);
  return signal.map((value) => Math.sqrt(Math.min(1, value / high)));
}
