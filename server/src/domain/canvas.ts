import type { Model } from './model.ts';
import type { Size } from './size.ts';

/** The size at which an engine renders: the model's canvas, else the size rounded up to its grid. */
export function canvasFor(size: Size, model: Pick<Model, 'grid' | 'canvases'>): Size {
  const declared = model.canvases[`${size.width}x${size.height}`];
  return declared ?? { width: roundUp(size.width, model.grid), height: roundUp(size.height, model.grid) };
}

/** How many frames to request: whole steps plus one. The surplus is cut off, so the file has duration × fps frames. */
export function framesFor(durationSeconds: number, fps: number, step: number | null): number {
  const frames = durationSeconds * fps;
  return step === null ? frames : roundUp(frames, step) + 1;
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
