import { type Canvas, createCanvas } from '@napi-rs/canvas';

const patch = 20;

/** Draws patches with a red of at least 64 everywhere, so that a pixel with less does not come from this image. */
export function drawPatchwork({ width, height }: { width: number; height: number }): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  for (let x = 0; x < width; x += patch) {
    for (let y = 0; y < height; y += patch) {
      context.fillStyle = `rgb(${64 + (x % 190)}, ${y % 256}, ${(x * y) % 256})`;
      context.fillRect(x, y, patch, patch);
    }
  }
  return canvas;
}
