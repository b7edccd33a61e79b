import type { CameraMove } from './camera-move.ts';

/** The lowest point: below it, the foreground would fill the frame. */
const lowest = 0.12;
/** The highest point, a shorter way up: above it, things on the ground would leave the frame. */
const highest = -0.07;

/** Looks from the ground up to the sky, or down if the prompt says so. */
export const tilt: CameraMove = {
  pose(progress, direction) {
    const lifted = direction === 'down' ? 1 - progress : progress;
    return { y: lowest + (highest - lowest) * lifted };
  },
};
