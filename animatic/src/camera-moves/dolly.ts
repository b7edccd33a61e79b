import type { CameraMove } from './camera-move.ts';
import { pan } from './pan.ts';

const strength = 0.3;

/**
 * Goes forward or back: near things grow a lot and far things hardly, which shows the depth. Goes sideways if the
 * prompt says so.
 */
export const dolly: CameraMove = {
  pose(progress, direction) {
    if (direction === 'left' || direction === 'right') return pan.pose(progress, direction);
    return { dolly: 1 + strength * (direction === 'out' ? 1 - progress : progress) };
  },
};
