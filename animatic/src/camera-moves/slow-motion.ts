import type { CameraMove } from './camera-move.ts';

/** Slows everything down; the camera itself hardly moves, so that the eye rests on the things that do. */
export const slowMotion: CameraMove = {
  pace: 0.4,
  pose: (progress) => ({ dolly: 1 + 0.03 * progress }),
};
