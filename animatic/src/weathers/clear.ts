import { createCirrus } from './sky/cirrus.ts';
import type { Weather } from './weather.ts';

/** A clear sky, sometimes with a little cirrus. */
export const clear: Weather = {
  light: { cover: 0, haze: 0, dim: 0 },
  create(setting) {
    const { dice, palette, storyboard } = setting;
    const isEarth = storyboard.scene !== 'space' && storyboard.scene !== 'abstract';
    return isEarth && !palette.isNight && dice.chance(0.5) ? [createCirrus(setting, 0.4)] : [];
  },
};
