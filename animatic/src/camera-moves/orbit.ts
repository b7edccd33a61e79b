import type { CameraMove } from './camera-move.ts';

const reach = 0.2;
/** Whoever walks around something leans a little. */
const lean = 0.014;

/** Goes around the subject: what is behind it passes one way, what is in front the other. */
export const orbit: CameraMove = {
  pose(progress, direction) {
    const along = (direction === 'left' ? -1 : 1) * (2 * progress - 1);
    return { orbit: reach * along, roll: lean * along, zoom: 1.03 };
  },
};
