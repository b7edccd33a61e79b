import type { CameraMove } from './camera-move.ts';

const swing = 0.06;
const bank = 0.024;

/** Glides forward high above the ground, swinging a little to the side and leaning into each curve. */
export const aerial: CameraMove = {
  horizon: 0.3,
  pose(progress, direction) {
    const along = (direction === 'left' ? -1 : 1) * (2 * progress - 1);
    // At the end of a swing a glider turns back, so it leans the other way.
    return { x: swing * along, roll: bank * along, y: 0.05 * progress, dolly: 1 + 0.16 * progress };
  },
};
