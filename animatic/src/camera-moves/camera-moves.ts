import type { PoseAt } from '../drawing/camera-path.ts';
import type { Storyboard } from '../storyboard/storyboard.ts';
import type { CameraMoveName } from '../storyboard/vocabulary.ts';
import { aerial } from './aerial.ts';
import type { CameraMove } from './camera-move.ts';
import { closeUp } from './close-up.ts';
import { dolly } from './dolly.ts';
import { orbit } from './orbit.ts';
import { pan } from './pan.ts';
import { slowMotion } from './slow-motion.ts';
import { tilt } from './tilt.ts';
import { zoom } from './zoom.ts';

/** Every camera move by its name. */
export const cameraMoves: Record<CameraMoveName, CameraMove> = {
  pan,
  tilt,
  zoom,
  dolly,
  orbit,
  aerial,
  closeUp,
  slowMotion,
};

/** Returns the poses of the moves that a prompt names, each in its direction. */
export function posesOf({ cameraMoves: names, directions }: Pick<Storyboard, 'cameraMoves' | 'directions'>): PoseAt[] {
  return names.map((name) => (progress) => cameraMoves[name].pose(progress, directions[name] ?? null));
}
