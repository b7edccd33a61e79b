import type { Box } from '@kinora/boxes/box';
import { type ConformedVideo, conformVideo } from './conform-video.ts';
import type { VideoTarget } from './video-target.ts';

export interface Video {
  /**
   * Makes an MP4 that matches the target exactly, a thumbnail and a spritesheet (25 tiles, 5 per row) from an engine's
   * output. A stream that already fits is copied, not encoded. Throws `OutputInvalid`.
   */
  conform(inputPath: string, target: VideoTarget, folder: string, signal?: AbortSignal): Promise<ConformedVideo>;
}

/** Processes engines' files with ffmpeg in a box (a sandboxed child process). */
export function createVideo(parts: { box: Box }): Video {
  return {
    conform: (inputPath, target, folder, signal) => conformVideo(parts, inputPath, target, folder, signal),
  };
}
