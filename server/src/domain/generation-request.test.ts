import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aspectRatios, engineSeed, nearestAspectRatio, resolutions } from './generation-request.ts';
import { sizeOf } from './size.ts';

const side = fc.integer({ min: 300, max: 6000 });

describe('nearestAspectRatio', () => {
  it('finds the ratio of every size that is delivered', () => {
    for (const resolution of resolutions) {
      for (const ratio of aspectRatios) {
        const { width, height } = sizeOf(resolution, ratio);
        expect(nearestAspectRatio(width, height)).toBe(ratio);
      }
    }
  });

  it('gives a rotated image the rotated ratio, except for 21:9, which has none', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        fc.pre(width / height < 2 && height / width < 2);
        const turned = nearestAspectRatio(height, width).split(':').toReversed().join(':');
        expect(nearestAspectRatio(width, height)).toBe(turned);
      }),
    );
  });

  it('chooses the ratio that needs the least cropping', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const kept = (ratio: string) => {
          const [w = 1, h = 1] = ratio.split(':').map(Number);
          const factor = width / height / (w / h);
          return Math.min(factor, 1 / factor);
        };
        const best = Math.max(...aspectRatios.map(kept));
        expect(kept(nearestAspectRatio(width, height))).toBeCloseTo(best, 10);
      }),
    );
  });
});

describe('engineSeed', () => {
  it('fits 32 bits and leaves seeds that fit as they are', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (seed) => {
        expect(engineSeed(seed)).toBe(Number(BigInt(seed) % 2n ** 32n));
      }),
    );
  });
});
