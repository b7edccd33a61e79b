import type { Layer } from '../drawing/layer.ts';
import type { Setting } from '../drawing/setting.ts';

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
