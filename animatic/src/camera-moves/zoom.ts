import type { CameraMove } from './camera-move.ts';

const strength = 0.34;

/** Zooms the lens: everything grows equally or, when zooming out, shrinks to the wide view. */
export const zoom: CameraMove = {
  pose: (progress, direction) => ({ zoom: 1 + strength * (direction === 'out' ? 1 - progress : progress) }),
};
