import type { Box } from '@kinora/boxes/box';
import { type ConformedVideo, conformVideo } from './conform-video.ts';
import { probeVideo, type VideoProbe } from './probe-video.ts';
import type { VideoTarget } from './video-target.ts';

export interface Video {
  /**
   * Converts an engine's file to an MP4 that is exactly the target, a thumbnail and a spritesheet (25 tiles, 5 per
   * row), all in the folder. A stream that already fits is copied, not encoded a second time. Throws `OutputInvalid`.
   */
  conform(inputPath: string, target: VideoTarget, folder: string, signal?: AbortSignal): Promise<ConformedVideo>;
  /** Reads the properties of a file without decoding all of it. Throws `OutputInvalid`. */
  probe(path: string, folder: string): Promise<VideoProbe>;
}

/** Processes engines' files in boxed ffmpeg and ffprobe. */
export function createVideo(parts: { box: Box }): Video {
  return {
    conform: (inputPath, target, folder, signal) => conformVideo(parts, inputPath, target, folder, signal),
    async probe(path, folder) {
      const { probe } = await probeVideo(parts, path, folder);
      return probe;
    },
  };
}
