/** The distance between the places of a field, in pixels. */
const fieldStep = 16;

/** The image's pixel at each place of a grid, every `fieldStep` pixels and at a line's last, interpolated between. */
export interface Field {
  columns: number;
  rows: number;
  x: Float64Array;
  y: Float64Array;
}

/** Returns the places of a field along a side of `length` pixels. */
export function placesAlong(length: number): number[] {
  const count = Math.max(2, Math.ceil((length - 1) / fieldStep) + 1);
  return Array.from({ length: count }, (_, index) => Math.min(index * fieldStep, length - 1));
}

/** An image, 32 bits per pixel, with its last row and column twice, so that every pixel has neighbours. */
export interface Texture {
  width: number;
  height: number;
  pixels: Int32Array;
}

/** Prepares an image for sampling. The pixels are in the format of a canvas, row by row. */
export function createTexture(pixels: Int32Array, width: number, height: number): Texture {
  const stride = width + 1;
  const padded = new Int32Array(stride * (height + 1));
  for (let y = 0; y <= height; y++) {
    const from = Math.min(y, height - 1) * width;
    padded.set(pixels.subarray(from, from + width), y * stride);
    padded[y * stride + width] = pixels[from + width - 1] ?? 0;
  }
  return { width, height, pixels: padded };
}

/** 1 in fixed point: coordinates have 16 bits before the point and 16 after it. */
const one = 1 << 16;
/** Red and blue are multiplied together, because the gap between them holds the carry; green is alone. */
const redAndBlue = 0x00ff00ff;
const half = 0x00800080;

/**
 * Fills `target`, which has the texture's size, with the image warped by the field. The result is opaque, and exact
 * where the field moves nothing. This is the innermost loop of every frame, hence plain numbers, no calls and no
 * branches.
 */
export function warpImage({ width, height, pixels }: Texture, field: Field, target: Int32Array): void {
  const { columns } = field;
  const stride = width + 1;
  const placesX = Int32Array.from(placesAlong(width));
  const placesY = placesAlong(height);
  const lineX = new Int32Array(columns);
  const lineY = new Int32Array(columns);
  let band = 0;
  for (let y = 0; y < height; y++) {
    if (y > (placesY[band + 1] ?? height)) band++;
    const top = placesY[band] ?? 0;
    const along = (y - top) / ((placesY[band + 1] ?? height) - top);
    interpolate(field.x, band * columns, along, width - 1, lineX);
    interpolate(field.y, band * columns, along, height - 1, lineY);
    const row = y * width;
    for (let column = 0; column + 1 < columns; column++) {
      const start = placesX[column] as number; // in range by the loop's bounds, as below
      // The last place is the last pixel itself, which belongs to the segment before it.
      const end = (placesX[column + 1] as number) + (column + 2 === columns ? 1 : 0);
      const length = (placesX[column + 1] as number) - start;
      let sourceX = lineX[column] as number;
      let sourceY = lineY[column] as number;
      const stepX = (((lineX[column + 1] as number) - sourceX) / length) | 0;
      const stepY = (((lineY[column + 1] as number) - sourceY) / length) | 0;
      for (let index = row + start; index < row + end; index++) {
        const at = (Math.imul(sourceY >> 16, stride) + (sourceX >> 16)) | 0;
        const right = (sourceX >> 8) & 0xff;
        const below = (sourceY >> 8) & 0xff;
        const weight3 = Math.imul(right, below) >> 8;
        const weight2 = below - weight3;
        const weight1 = right - weight3;
        const weight0 = 256 - right - below + weight3;
        const pixel0 = pixels[at] as number;
        const pixel1 = pixels[at + 1] as number;
        const pixel2 = pixels[at + stride] as number;
        const pixel3 = pixels[at + stride + 1] as number;
        let two = (half + Math.imul(pixel0 & redAndBlue, weight0)) | 0;
        two = (two + Math.imul(pixel1 & redAndBlue, weight1)) | 0;
        two = (two + Math.imul(pixel2 & redAndBlue, weight2)) | 0;
        two = (two + Math.imul(pixel3 & redAndBlue, weight3)) | 0;
        let green = (0x8000 + Math.imul(pixel0 & 0xff00, weight0)) | 0;
        green = (green + Math.imul(pixel1 & 0xff00, weight1)) | 0;
        green = (green + Math.imul(pixel2 & 0xff00, weight2)) | 0;
        green = (green + Math.imul(pixel3 & 0xff00, weight3)) | 0;
        target[index] = 0xff000000 | ((two >>> 8) & redAndBlue) | ((green >>> 8) & 0xff00);
        sourceX = (sourceX + stepX) | 0;
        sourceY = (sourceY + stepY) | 0;
      }
    }
  }
}

/** Interpolates one line between two rows of the field, in fixed point and clamped to the image. */
function interpolate(values: Float64Array, start: number, along: number, last: number, line: Int32Array): void {
  const columns = line.length;
  for (let column = 0; column < columns; column++) {
    const above = values[start + column] ?? 0;
    const below = values[start + columns + column] ?? above;
    const value = above + (below - above) * along;
    line[column] = Math.round((value < 0 ? 0 : value > last ? last : value) * one);
  }
}
