import type { CameraMove } from './camera-move.ts';

const reach = 0.2;

/** Turns to the right, or to the left if the prompt says so. */
export const pan: CameraMove = {
  pose(progress, direction) {
    const side = direction === 'left' ? -1 : 1;
    return { x: side * reach * (2 * progress - 1) };
  },
};
