import type { CameraMove } from './camera-move.ts';

/** Lets time pass slowly; the camera itself hardly moves, so that the eye rests on what does. */
export const slowMotion: CameraMove = {
  pace: 0.4,
  pose: (progress) => ({ dolly: 1 + 0.03 * progress }),
};
