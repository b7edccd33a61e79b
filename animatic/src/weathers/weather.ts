import type { Layer } from '../drawing/layer.ts';
import type { WeatherLight } from '../drawing/palette.ts';
import type { Setting } from '../drawing/setting.ts';

/** A kind of weather. Each has a file of its own, and `weathers.ts` lists them. */
export interface Weather {
  /** How it changes the light. */
  light: WeatherLight;
  /** Prepares its layers, once per video. They may have several depths, between those of the scene. */
  create(setting: Setting): Layer[];
}
