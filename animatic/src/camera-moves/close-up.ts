import type { CameraMove } from './camera-move.ts';

/** Is close to the subject, at its height, and moves a little towards it. */
export const closeUp: CameraMove = {
  closeness: 1.7,
  horizon: 0.62,
  pose: (progress) => ({ zoom: 1.02 + 0.06 * progress, dolly: 1 + 0.06 * progress }),
};
