import type { AspectRatio, Resolution } from './generation-request.ts';

export interface Size {
  width: number;
  height: number;
}

/** The delivered sizes: the short side is the resolution, the long side follows the ratio. */
const sizes: Record<Resolution, Record<AspectRatio, readonly [width: number, height: number]>> = {
  '480p': {
    '16:9': [854, 480],
    '9:16': [480, 854],
    '4:3': [640, 480],
    '3:4': [480, 640],
    '21:9': [1120, 480],
    '1:1': [480, 480],
  },
  '720p': {
    '16:9': [1280, 720],
    '9:16': [720, 1280],
    '4:3': [960, 720],
    '3:4': [720, 960],
    '21:9': [1680, 720],
    '1:1': [720, 720],
  },
  '1080p': {
    '16:9': [1920, 1080],
    '9:16': [1080, 1920],
    '4:3': [1440, 1080],
    '3:4': [1080, 1440],
    '21:9': [2520, 1080],
    '1:1': [1080, 1080],
  },
};

/** Returns the exact size of the delivered video. */
export function sizeOf(resolution: Resolution, aspectRatio: AspectRatio): Size {
  const [width, height] = sizes[resolution][aspectRatio];
  return { width, height };
}
