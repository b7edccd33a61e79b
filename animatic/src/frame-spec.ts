import type { SKRSContext2D } from '@napi-rs/canvas';

/** Everything that the frames of a video depend on, besides its image. */
export interface FrameSpec {
  prompt: string;
  seed: number;
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}

export type DrawFrame = (context: SKRSContext2D, frameIndex: number) => void;
