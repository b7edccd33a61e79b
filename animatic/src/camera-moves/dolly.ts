import type { CameraMove } from './camera-move.ts';
import { pan } from './pan.ts';

const strength = 0.3;

/** Goes forward, back or, on request, sideways: near things change a lot and far ones hardly, which shows the depth. */
export const dolly: CameraMove = {
  pose(progress, direction) {
    if (direction === 'left' || direction === 'right') return pan.pose(progress, direction);
    return { dolly: 1 + strength * (direction === 'out' ? 1 - progress : progress) };
  },
};
