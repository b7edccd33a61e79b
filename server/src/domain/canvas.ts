import type { Model } from './model.ts';
import type { Size } from './size.ts';

/**
 * What an engine renders on: the canvas that the model declares for the size, otherwise the size rounded up to its grid. The
 * result is scaled to cover and cropped.
 */
export function canvasFor(size: Size, model: Pick<Model, 'grid' | 'canvases'>): Size {
  const declared = model.canvases[`${size.width}x${size.height}`];
  return declared ?? { width: roundUp(size.width, model.grid), height: roundUp(size.height, model.grid) };
}

/**
 * How many frames an engine is asked for. Families that render in steps need a whole number of steps and one frame more;
 * what is over is cut off, so that the delivered file has exactly duration × fps frames.
 */
export function framesFor(durationSeconds: number, fps: number, step: number | null): number {
  const frames = durationSeconds * fps;
  return step === null ? frames : roundUp(frames, step) + 1;
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
