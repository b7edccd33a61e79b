import type { Layer } from '../drawing/layer.ts';
import type { Setting } from '../drawing/setting.ts';
import type { Stage } from '../drawing/stage.ts';
import { isInStreet } from '../subjects/boat/is-in-street.ts';

/** A scene. Each has a file of its own, and `scenes.ts` lists them. */
export interface Scene {
  /** False if the scene draws its own background, as space does. */
  hasSky: boolean;
  /** Prepares everything that does not change, once per video. */
  create(setting: Setting): SceneDrawing;
}

export interface SceneDrawing {
  /** In any order; they are sorted by depth. */
  layers: readonly Layer[];
  /** The y of subjects at depth 1 that stand, float (null without water) and fly, in units from the top. */
  ground: number;
  water: number | null;
  air: number;
  /** Whether the scene is under water, where weather and season are not drawn. */
  isUnderWater?: boolean | undefined;
}

/** Returns the y of flying subjects above open country: above the horizon, higher if there is more sky. */
export function airAbove({ horizon }: Stage): number {
  return horizon - 0.06 - 0.14 * horizon;
}

/** Returns whether the subject needs water in any scene. */
export function isAfloat({ storyboard }: Setting): boolean {
  return (storyboard.subject === 'boat' || storyboard.subject === 'fish') && !isInStreet(storyboard);
}
