import type { CameraPose } from '../drawing/camera.ts';
import type { Direction } from '../storyboard/storyboard.ts';

/** A way to look. One file a move; `camera-moves.ts` lists them. Several in one prompt add up. */
export interface CameraMove {
  /**
   * Where the camera is when the move is done by `progress`, 0..1: eased, there and back, so that the video repeats. Without
   * a direction it goes its own way.
   */
  pose(progress: number, direction: Direction | null): Partial<CameraPose>;
  /** Where this move wants the horizon, as a part of the height. */
  horizon?: number | undefined;
  /** How much larger the subject is. */
  closeness?: number | undefined;
  /** Slows everything that moves: 0.4 is slow motion. */
  pace?: number | undefined;
}
