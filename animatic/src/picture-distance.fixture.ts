/** A picture for tests: RGBA, four bytes per pixel, row by row. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8Array;
}

/** How different two pictures look, where the distance from black to white is 100. */
export interface PictureDistance {
  mean: number;
  /** The 95th percentile: shows that something is missing, however alike the rest is. */
  high: number;
}

const columns = 48;

/** Compares pictures as seen from across the room: 48 columns, blurred, in OKLab, where equal distances look equal. */
export function distanceBetween(one: Picture, other: Picture): PictureDistance {
  if (one.width !== other.width || one.height !== other.height) throw new Error('the pictures have different sizes');
  const [first, second] = [soften(shrink(one)), soften(shrink(other))];
  const steps = first.cells.map((cell, index) => {
    const [lightness = 0, a = 0, b = 0] = second.cells[index] ?? [];
    return 100 * Math.hypot(cell[0] - lightness, cell[1] - a, cell[2] - b);
  });
  const ascending = steps.toSorted((low, high) => low - high);
  return {
    mean: steps.reduce((sum, step) => sum + step, 0) / steps.length,
    high: ascending[Math.floor(0.95 * steps.length)] ?? 0,
  };
}

/** A colour in OKLab: lightness, green to red, blue to yellow. */
type Lab = readonly [lightness: number, a: number, b: number];

interface Cells {
  width: number;
  height: number;
  cells: readonly Lab[];
}

function shrink({ width, height, data }: Picture): Cells {
  const rows = Math.max(1, Math.round((columns * height) / width));
  const sums = new Float64Array(columns * rows * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const cell = 4 * (Math.floor((y * rows) / height) * columns + Math.floor((x * columns) / width));
      const pixel = 4 * (y * width + x);
      for (let channel = 0; channel < 3; channel++) {
        sums[cell + channel] = (sums[cell + channel] ?? 0) + (data[pixel + channel] ?? 0);
      }
      sums[cell + 3] = (sums[cell + 3] ?? 0) + 1;
    }
  }
  const cells = Array.from({ length: columns * rows }, (_, index) => {
    const [red = 0, green = 0, blue = 0, count = 1] = sums.subarray(4 * index, 4 * index + 4);
    return labOf(red / count / 255, green / count / 255, blue / count / 255);
  });
  return { width: columns, height: rows, cells };
}

/** Replaces each cell by the mean of itself and its neighbours. */
function soften({ width, height, cells }: Cells): Cells {
  const near = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => ({ down, right })));
  const softened = cells.map((cell, index): Lab => {
    const [x, y] = [index % width, Math.floor(index / width)];
    const sum: [number, number, number] = [0, 0, 0];
    for (const { down, right } of near) {
      const [column, row] = [x + right, y + down];
      const isInside = column >= 0 && column < width && row >= 0 && row < height;
      // A neighbour beyond the border counts as the cell itself.
      const neighbour = (isInside ? cells[row * width + column] : undefined) ?? cell;
      for (const axis of [0, 1, 2] as const) sum[axis] += neighbour[axis] / near.length;
    }
    return sum;
  });
  return { width, height, cells: softened };
}

function labOf(...channels: [red: number, green: number, blue: number]): Lab {
  const [red, green, blue] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number]; // three in, three out
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}
