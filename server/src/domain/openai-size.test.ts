import { describe, expect, it } from 'vitest';
import { aspectRatios, resolutions } from './generation-request.ts';
import { formatSize, nearestSize, openAiSizes, parseSize } from './openai-size.ts';
import { sizeOf } from './size.ts';

describe('an OpenAI-compatible size', () => {
  it('is delivered unchanged if it is one of the 18 supported sizes', () => {
    expect(openAiSizes).toHaveLength(18);
    for (const resolution of resolutions) {
      for (const aspectRatio of aspectRatios) {
        expect(nearestSize(sizeOf(resolution, aspectRatio))).toEqual({ resolution, aspectRatio });
      }
    }
  });

  it.each([
    ['1792x1024', '1920x1080'],
    ['1024x1792', '1080x1920'],
    ['832x480', '854x480'],
    ['1280x704', '1280x720'],
    ['1024x1024', '1080x1080'],
    ['512x512', '480x480'],
    ['2560x1080', '2520x1080'],
  ])('%s is delivered as %s', (requested, delivered) => {
    const nearest = nearestSize(parseSize(requested) ?? { width: 0, height: 0 });
    expect(nearest && formatSize(sizeOf(nearest.resolution, nearest.aspectRatio))).toBe(delivered);
  });

  it.each(['1024x576', '3840x2160', '100x100', '3000x500', '500x3000', '0x720', '720x0', '99999x1'])(
    '%s is too far from every supported size',
    (requested) => expect(nearestSize(parseSize(requested) ?? { width: 0, height: 0 })).toBeNull(),
  );

  it.each(['', '720p', '1280X720', '1280x', '-1x5', '1280x720 ', '12.5x4', '123456x1', 'axb'])(
    '%j is not a size',
    (text) => expect(parseSize(text)).toBeNull(),
  );
});
