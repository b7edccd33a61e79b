import type { Box } from '@kinora/boxes/box';
import { type ConformedVideo, conformVideo } from './conform-video.ts';
import { probeVideo, type VideoProbe } from './probe-video.ts';
import type { VideoTarget } from './video-target.ts';

export interface Video {
  /**
   * An engine's file → exactly the target as MP4, a thumbnail and a spritesheet (25 tiles, 5 a row), all in the folder.
   * A stream that fits already is copied, not encoded again. Throws `OutputInvalid`.
   */
  conform(inputPath: string, target: VideoTarget, folder: string, signal?: AbortSignal): Promise<ConformedVideo>;
  /** Looks at a file without decoding it. Throws `OutputInvalid`. */
  probe(path: string, folder: string): Promise<VideoProbe>;
}

/** Everything that is done to an engine's file, in boxed ffmpeg and ffprobe. */
export function createVideo(parts: { box: Box }): Video {
  return {
    conform: (inputPath, target, folder, signal) => conformVideo(parts, inputPath, target, folder, signal),
    async probe(path, folder) {
      const { probe } = await probeVideo(parts, path, folder);
      return probe;
    },
  };
}
