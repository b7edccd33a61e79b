import {
  type AspectRatio,
  aspectRatios,
  nearestAspectRatio,
  type Resolution,
  resolutions,
} from './generation-request.ts';
import { type Size, sizeOf } from './size.ts';

/** The factor by which the delivered video may differ from the requested size, in aspect ratio and in area. */
const tolerance = 1.15;

/** Every size that can be delivered, as callers write it. */
export const openAiSizes: readonly string[] = resolutions.flatMap((resolution) =>
  aspectRatios.map((aspectRatio) => formatSize(sizeOf(resolution, aspectRatio))),
);

/** The nearest of the six ratios, then the resolution with the nearest area; null outside the tolerance. */
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

/** Parses a size such as `1280x720`; returns null for any other text. */
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
