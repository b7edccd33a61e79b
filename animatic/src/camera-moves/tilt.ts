import type { CameraMove } from './camera-move.ts';

/** Not farther: what is close to the eye would fill the frame. */
const lowest = 0.12;
/** Less far: what is on the ground shall not leave the frame. */
const highest = -0.07;

/** Lifts the eyes from the ground to the sky, or lowers them if asked. */
export const tilt: CameraMove = {
  pose(progress, direction) {
    const lifted = direction === 'down' ? 1 - progress : progress;
    return { y: lowest + (highest - lowest) * lifted };
  },
};
