import type { CameraMove } from './camera-move.ts';
import { pan } from './pan.ts';

const strength = 0.3;

/** Goes forward, or back: what is near grows much, what is far hardly, so that the depth is felt. Or to the side, if asked. */
export const dolly: CameraMove = {
  pose(progress, direction) {
    if (direction === 'left' || direction === 'right') return pan.pose(progress, direction);
    return { dolly: 1 + strength * (direction === 'out' ? 1 - progress : progress) };
  },
};
