import type { CameraMove } from './camera-move.ts';

const strength = 0.3;

/** Goes forward, or back: what is near grows much, what is far hardly, so that the depth is felt. */
export const dolly: CameraMove = {
  pose: (progress, direction) => ({ dolly: 1 + strength * (direction === 'out' ? 1 - progress : progress) }),
};
