import type { CameraPose } from '../drawing/camera.ts';
import type { Direction } from '../storyboard/storyboard.ts';

/** A camera move. Each has a file of its own, and `camera-moves.ts` lists them. Several in one prompt add up. */
export interface CameraMove {
  /** Returns where the camera is at `progress`, eased from 0 to 1. Without a direction, the move uses its default. */
  pose(progress: number, direction: Direction | null): Partial<CameraPose>;
  /** Where this move places the horizon, as a fraction of the height. */
  horizon?: number | undefined;
  /** The factor by which the subject is enlarged. */
  closeness?: number | undefined;
  /** The speed of everything that moves; 0.4 is slow motion. */
  pace?: number | undefined;
}
