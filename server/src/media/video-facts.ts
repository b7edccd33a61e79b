import type { VideoContainer } from '@kinora/boxes/ffmpeg-arguments';

/** What a file says about its streams before anything is decoded. */
export interface VideoFacts {
  container: VideoContainer;
  width: number;
  height: number;
  /** Null if the video is not plain: then it is encoded again, and only ffmpeg finds out what is in it. */
  plain: PlainVideo | null;
  /** Null if the file has no sound. Only MP4 is read that far. */
  audio: AudioFacts | null | 'unknown';
}

/**
 * A video that every player shows in the same way: H.264 with yuv420p in MP4, progressive, upright, with square pixels, a
 * constant rate and a first frame at 0, and at most one other stream, which is sound.
 */
export interface PlainVideo {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
  durationSeconds: number;
  hasAudio: boolean;
  /** Whether the MP4 index precedes the media data, so that playback can start before the download ends. */
  isFastStart: boolean;
}

export interface AudioFacts {
  isAac: boolean;
  durationSeconds: number;
}
