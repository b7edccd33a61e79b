import { describe, expect, test } from 'vitest';
import { sizeOf, sizes } from './video-size.ts';

const text = (resolution?: string, aspectRatio?: string) => sizeOf({ resolution, aspectRatio }, false);
const image = (resolution?: string, aspectRatio?: string) => sizeOf({ resolution, aspectRatio }, true);

describe('the requested size of a video', () => {
  test('each of the 18 sizes that the service delivers is recognised', () => {
    const found = Object.entries(sizes).flatMap(([resolution, byRatio]) =>
      Object.entries(byRatio).map(([aspectRatio, pixels]) => {
        expect(text(pixels)).toEqual({ size: { resolution, aspect_ratio: aspectRatio }, warnings: [] });
        return pixels;
      }),
    );
    expect(new Set(found).size).toBe(18);
  });

  test('a resolution without pixels is accepted, with the aspect ratio of the call or of the service', () => {
    expect(text('720p')).toEqual({ size: { resolution: '720p' }, warnings: [] });
    expect(text('1080p', '9:16')).toEqual({ size: { resolution: '1080p', aspect_ratio: '9:16' }, warnings: [] });
    expect(image('480p', 'adaptive')).toEqual({ size: { resolution: '480p' }, warnings: [] });
    expect(text('8k')).toMatchObject({
      size: {},
      warnings: [{ details: expect.stringContaining('480p, 720p, 1080p') }],
    });
  });

  test('a call without a size leaves it to the service', () => {
    expect(text()).toEqual({ size: {}, warnings: [] });
  });

  test('an unsupported size is ignored, with a warning that lists the supported sizes', () => {
    const { size, warnings } = text('1000x1000');
    expect(size).toEqual({});
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'resolution', details: expect.stringContaining('1280x720, 720x1280') },
    ]);
    expect(text(undefined, '2:1')).toMatchObject({ size: {}, warnings: [{ feature: 'aspectRatio' }] });
  });

  test('the size follows aspectRatio if resolution has another ratio, with a warning', () => {
    expect(text('1280x720', '16:9')).toEqual({ size: { resolution: '720p', aspect_ratio: '16:9' }, warnings: [] });
    const { size, warnings } = text('1280x720', '9:16');
    expect(size).toEqual({ resolution: '720p', aspect_ratio: '9:16' });
    expect(warnings).toEqual([{ type: 'other', message: expect.stringContaining('720x1280') }]);
  });

  test('the aspect ratio "adaptive" needs an image', () => {
    expect(image('1280x720', 'adaptive')).toEqual({ size: { resolution: '720p' }, warnings: [] });
    expect(text(undefined, 'adaptive').warnings).toMatchObject([{ type: 'unsupported', feature: 'aspectRatio' }]);
  });
});
