import type { Layer } from '../drawing/layer.ts';
import type { Setting } from '../drawing/setting.ts';
import type { Stage } from '../drawing/stage.ts';

/** A place. One file a scene; `scenes.ts` lists them. */
export interface Scene {
  /** False where the scene draws its own background, as space does. */
  hasSky: boolean;
  /** Prepares everything that stays the same, once a video. */
  create(setting: Setting): SceneDrawing;
}

export interface SceneDrawing {
  /** In any order; they are sorted by depth. */
  layers: readonly Layer[];
  /** Where subjects are at depth 1, in units from the top: what stands, what floats (null: no water), what flies. */
  ground: number;
  water: number | null;
  air: number;
  /** Under water it neither rains nor snows: weather and season stay away. */
  isUnderWater?: boolean | undefined;
}

/** Where things fly above open country: over the horizon, farther up where there is more sky. */
export function airAbove({ horizon }: Stage): number {
  return horizon - 0.06 - 0.14 * horizon;
}

/** Whether the subject wants water, wherever it is. */
export function isAfloat({ storyboard: { subject } }: Setting): boolean {
  return subject === 'boat' || subject === 'fish';
}
