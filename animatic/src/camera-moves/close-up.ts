import type { CameraMove } from './camera-move.ts';

/** Stands before the subject, on its own height, and leans towards it. */
export const closeUp: CameraMove = {
  closeness: 1.7,
  horizon: 0.62,
  pose: (progress) => ({ zoom: 1.02 + 0.06 * progress, dolly: 1 + 0.06 * progress }),
};
