import { describe, expect, it } from 'vitest';
import { canvasFor, framesFor } from './canvas.ts';
import { aspectRatios, resolutions } from './generation-request.ts';
import { animatic } from './model.ts';
import { sizeOf } from './size.ts';

describe('sizeOf', () => {
  it('returns the resolution as the short side, the ratio within a pixel, and even sides', () => {
    for (const resolution of resolutions) {
      for (const ratio of aspectRatios) {
        const { width, height } = sizeOf(resolution, ratio);
        const [w = 1, h = 1] = ratio.split(':').map(Number);
        expect(Math.min(width, height)).toBe(Number.parseInt(resolution, 10));
        expect(
          Math.abs(Math.max(width, height) - (Math.min(width, height) * Math.max(w, h)) / Math.min(w, h)),
        ).toBeLessThan(1);
        expect([width % 2, height % 2]).toEqual([0, 0]);
        expect(width >= height).toBe(w >= h);
      }
    }
  });

  it('returns the table of the contract', () => {
    const table = resolutions.map((resolution) =>
      aspectRatios.map((ratio) => Object.values(sizeOf(resolution, ratio)).join('x')).join(' '),
    );
    expect(table).toEqual([
      '854x480 480x854 640x480 480x640 1120x480 480x480',
      '1280x720 720x1280 960x720 720x960 1680x720 720x720',
      '1920x1080 1080x1920 1440x1080 1080x1440 2520x1080 1080x1080',
    ]);
  });
});

describe('canvasFor', () => {
  it('returns the size itself for the built-in model', () => {
    for (const resolution of resolutions) {
      for (const ratio of aspectRatios) {
        expect(canvasFor(sizeOf(resolution, ratio), animatic)).toEqual(sizeOf(resolution, ratio));
      }
    }
  });

  it('rounds both sides up to the grid', () => {
    expect(canvasFor({ width: 854, height: 480 }, { grid: 16, canvases: {} })).toEqual({ width: 864, height: 480 });
    expect(canvasFor({ width: 1920, height: 1080 }, { grid: 32, canvases: {} })).toEqual({ width: 1920, height: 1088 });
  });
});

describe('framesFor', () => {
  it('returns a whole number of steps plus one frame, or exactly the delivered frames without a step', () => {
    expect(framesFor(5, 16, 4)).toBe(81);
    expect(framesFor(5, 24, 8)).toBe(121);
    expect(framesFor(1, 24, 16)).toBe(33);
    expect(framesFor(5, 24, null)).toBe(120);
  });
});
