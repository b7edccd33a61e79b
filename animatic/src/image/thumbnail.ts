/** A small version of an image, for analysis. Each array has one value per cell, row by row. */
export interface Thumbnail {
  width: number;
  height: number;
  /** Mean colours, 0..255. */
  red: Float32Array;
  green: Float32Array;
  blue: Float32Array;
  /** How much neighbouring pixels of the full image differ in the cell; parts in focus have more. */
  detail: Float32Array;
}

const longSide = 96;

/** Shrinks an image to about a hundred cells on its long side. The pixels are in the format of a canvas. */
export function createThumbnail(pixels: Int32Array, imageWidth: number, imageHeight: number): Thumbnail {
  const cell = Math.max(1, Math.max(imageWidth, imageHeight) / longSide);
  const width = Math.max(2, Math.round(imageWidth / cell));
  const height = Math.max(2, Math.round(imageHeight / cell));
  const count = width * height;
  const red = new Float32Array(count);
  const green = new Float32Array(count);
  const blue = new Float32Array(count);
  const detail = new Float32Array(count);
  const amount = new Float32Array(count);
  const columnOf = Int32Array.from({ length: imageWidth }, (_, x) => Math.floor((x * width) / imageWidth));
  for (let y = 0; y < imageHeight; y++) {
    const start = Math.floor((y * height) / imageHeight) * width;
    let left = pixels[y * imageWidth] ?? 0;
    for (let x = 0; x < imageWidth; x++) {
      const index = y * imageWidth + x;
      const here = pixels[index] ?? 0;
      const above = pixels[index - imageWidth] ?? here;
      const at = start + (columnOf[x] ?? 0);
      red[at] = (red[at] ?? 0) + (here & 0xff);
      green[at] = (green[at] ?? 0) + ((here >> 8) & 0xff);
      blue[at] = (blue[at] ?? 0) + ((here >> 16) & 0xff);
      detail[at] = (detail[at] ?? 0) + difference(here, left) + difference(here, above);
      amount[at] = (amount[at] ?? 0) + 1;
      left = here;
    }
  }
  for (const sums of [red, green, blue, detail]) {
    for (let at = 0; at < count; at++) sums[at] = (sums[at] ?? 0) / Math.max(1, amount[at] ?? 1);
  }
  return { width, height, red, green, blue, detail };
}

/** Compares mainly green, which dominates perceived brightness; red helps if the greens are alike. */
function difference(one: number, other: number): number {
  return Math.abs(((one >> 8) & 0xff) - ((other >> 8) & 0xff)) + Math.abs((one & 0xff) - (other & 0xff));
}
