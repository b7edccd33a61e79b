import type { Thumbnail } from './thumbnail.ts';

/** The distances between sampled cells, round by round: wide first, so that many cells influence each other. */
const strides = [4, 3, 2, 1];
/** The number of sampled cells to each side. */
const taps = 3;
/** Cells whose colours differ by more than this hardly influence each other. */
const colourReach = 42;
/** Details smaller than about this many cells to each side have no depth of their own. */
const speck = 2;
/** The largest change from cell to cell: a step becomes a slope that the warp stretches behind the nearer side. */
const steepest = 0.055;

/** Smooths a guess per cell into a depth that is even where the picture is even, and changes where it changes. */
export function smoothDepth(thumbnail: Thumbnail, guess: Float32Array): Float32Array {
  const { width, height } = thumbnail;
  let depth = guess;
  for (const stride of strides) depth = gatherAlike(thumbnail, depth, stride);
  depth = stretched(withoutSpecks(depth, width, height));
  depth = widened(depth, width, height);
  limitSlope(depth, width, height);
  return blurred(blurred(depth, width, height), width, height);
}

const alike = Float32Array.from({ length: 766 }, (_, distance) => Math.exp(-((distance / colourReach) ** 2)));
const near = Float32Array.from({ length: 2 * taps * taps + 1 }, (_, square) => Math.exp(-square / (taps * taps)));

/** Replaces each cell by the mean of the surrounding cells of a similar colour (a bilateral filter). */
function gatherAlike(
  { width, height, red, green, blue }: Thumbnail,
  depth: Float32Array,
  stride: number,
): Float32Array {
  return depth.map((_value, index) => {
    const x = index % width;
    const y = Math.floor(index / width);
    const redHere = red[index] ?? 0;
    const greenHere = green[index] ?? 0;
    const blueHere = blue[index] ?? 0;
    let sum = 0;
    let total = 0;
    for (let down = -taps; down <= taps; down++) {
      const otherY = y + down * stride;
      if (otherY < 0 || otherY >= height) continue;
      for (let across = -taps; across <= taps; across++) {
        const otherX = x + across * stride;
        if (otherX < 0 || otherX >= width) continue;
        const other = otherY * width + otherX;
        const distance =
          Math.abs((red[other] ?? 0) - redHere) +
          Math.abs((green[other] ?? 0) - greenHere) +
          Math.abs((blue[other] ?? 0) - blueHere);
        const weight = (alike[distance | 0] ?? 0) * (near[down * down + across * across] ?? 0);
        sum += weight * (depth[other] ?? 0);
        total += weight;
      }
    }
    return sum / total;
  });
}

/** Applies a median filter: windows and leaves take the depth of their house or tree, and edges stay sharp. */
function withoutSpecks(depth: Float32Array, width: number, height: number): Float32Array {
  const around = new Float32Array((2 * speck + 1) ** 2);
  return depth.map((_value, index) => {
    const x = index % width;
    const y = Math.floor(index / width);
    let count = 0;
    for (let otherY = Math.max(0, y - speck); otherY <= Math.min(height - 1, y + speck); otherY++) {
      for (let otherX = Math.max(0, x - speck); otherX <= Math.min(width - 1, x + speck); otherX++) {
        around[count++] = depth[otherY * width + otherX] ?? 0;
      }
    }
    return around.subarray(0, count).sort()[count >> 1] ?? 0;
  });
}

/** Grows near parts by the width of the next blur, so that their edges keep their depth and slopes begin outside. */
function widened(depth: Float32Array, width: number, height: number): Float32Array {
  let wide = depth;
  for (let round = 0; round < 3; round++) wide = alongBoth(wide, { width, height }, Math.max);
  return wide;
}

/** Stretches the depth to the whole range 0..1, unless its range is small. */
function stretched(depth: Float32Array): Float32Array {
  const sorted = depth.toSorted();
  const low = sorted[Math.floor(0.02 * (sorted.length - 1))] ?? 0;
  const high = sorted[Math.ceil(0.98 * (sorted.length - 1))] ?? 1;
  const range = Math.max(0.95, high - low);
  return depth.map((value) => Math.min(1, Math.max(0, (value - low) / range)));
}

/** Raises the cells beside nearer ones until no slope is too steep, in one pass forwards and one backwards. */
function limitSlope(depth: Float32Array, width: number, height: number): void {
  const raise = (index: number, other: number, distance: number) => {
    depth[index] = Math.max(depth[index] ?? 0, (depth[other] ?? 0) - steepest * distance);
  };
  const pass = (order: (index: number) => number, side: number) => {
    for (let step = 0; step < depth.length; step++) {
      const index = order(step);
      const x = index % width;
      const beforeY = Math.floor(index / width) - side;
      const hasBefore = x - side >= 0 && x - side < width;
      const hasAfter = x + side >= 0 && x + side < width;
      const hasAbove = beforeY >= 0 && beforeY < height;
      if (hasBefore) raise(index, index - side, 1);
      if (hasAbove) raise(index, index - side * width, 1);
      if (hasAbove && hasBefore) raise(index, index - side * width - side, Math.SQRT2);
      if (hasAbove && hasAfter) raise(index, index - side * width + side, Math.SQRT2);
    }
  };
  pass((step) => step, 1);
  pass((step) => depth.length - 1 - step, -1);
}

/** Replaces each cell by a weighted mean of itself and its neighbours. */
export function blurred(depth: Float32Array, width: number, height: number): Float32Array {
  return alongBoth(depth, { width, height }, (before, value, after) => (before + 2 * value + after) / 4);
}

/** Combines each cell with its neighbours along its row, and then along its column. */
function alongBoth(
  depth: Float32Array,
  { width, height }: { width: number; height: number },
  combine: (before: number, value: number, after: number) => number,
): Float32Array {
  const along = (values: Float32Array, length: number, stride: number) =>
    values.map((value, index) => {
      const place = Math.floor(index / stride) % length;
      const before = place > 0 ? (values[index - stride] ?? value) : value;
      const after = place < length - 1 ? (values[index + stride] ?? value) : value;
      return combine(before, value, after);
    });
  return along(along(depth, width, 1), height, width);
}
