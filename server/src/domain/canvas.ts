import type { Model } from './model.ts';
import type { Size } from './size.ts';

/**
 * Returns the size at which an engine renders: the canvas that the model declares for this size, otherwise the size
 * rounded up to the model's grid. The rendered video is then scaled to cover the size and cropped.
 */
export function canvasFor(size: Size, model: Pick<Model, 'grid' | 'canvases'>): Size {
  const declared = model.canvases[`${size.width}x${size.height}`];
  return declared ?? { width: roundUp(size.width, model.grid), height: roundUp(size.height, model.grid) };
}

/**
 * Returns how many frames to request from an engine. Models that render in steps need a whole number of steps plus one
 * frame. The surplus is cut off, so that the delivered file has exactly duration × fps frames.
 */
export function framesFor(durationSeconds: number, fps: number, step: number | null): number {
  const frames = durationSeconds * fps;
  return step === null ? frames : roundUp(frames, step) + 1;
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
