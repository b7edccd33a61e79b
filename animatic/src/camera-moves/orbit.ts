import type { CameraMove } from './camera-move.ts';

const reach = 0.2;
/** The camera rolls a little, as a person who walks around something leans. */
const lean = 0.014;

/** Goes around the subject: the background passes in one direction, the foreground in the other. */
export const orbit: CameraMove = {
  pose(progress, direction) {
    const along = (direction === 'left' ? -1 : 1) * (2 * progress - 1);
    return { orbit: reach * along, roll: lean * along, zoom: 1.03 };
  },
};
