import {
  type AspectRatio,
  aspectRatios,
  nearestAspectRatio,
  type Resolution,
  resolutions,
} from './generation-request.ts';
import { type Size, sizeOf } from './size.ts';

/** How far the delivered video may be from a size that was asked for, in shape and in area, as a factor. */
const tolerance = 1.15;

/** Every size that is delivered, as callers write it. */
export const openAiSizes: readonly string[] = resolutions.flatMap((resolution) =>
  aspectRatios.map((aspectRatio) => formatSize(sizeOf(resolution, aspectRatio))),
);

/** What is delivered for a size: the nearest of the six ratios, then the resolution of the nearest area; null if neither is near. */
export function nearestSize({ width, height }: Size): { resolution: Resolution; aspectRatio: AspectRatio } | null {
  if (width === 0 || height === 0) return null;
  const aspectRatio = nearestAspectRatio(width, height);
  const distance = (resolution: Resolution) => {
    const size = sizeOf(resolution, aspectRatio);
    return factor(size.width * size.height, width * height);
  };
  const resolution = resolutions.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  const delivered = sizeOf(resolution, aspectRatio);
  const isNear =
    distance(resolution) <= tolerance && factor(delivered.width / delivered.height, width / height) <= tolerance;
  return isNear ? { resolution, aspectRatio } : null;
}

/** `1280x720` as numbers; null for what is not written so. */
export function parseSize(text: string): Size | null {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) };
}

export function formatSize({ width, height }: Size): string {
  return `${width}x${height}`;
}

function factor(one: number, other: number): number {
  return Math.max(one / other, other / one);
}
