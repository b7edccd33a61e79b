import type { Layer } from '../drawing/layer.ts';
import type { WeatherLight } from '../drawing/palette.ts';
import type { Setting } from '../drawing/setting.ts';

/** What is in the air. One file a weather; `weathers.ts` lists them. */
export interface Weather {
  /** What it does to the light. */
  light: WeatherLight;
  /** Prepares its layers, once a video: they may stand at several depths, between those of the scene. */
  create(setting: Setting): Layer[];
}
