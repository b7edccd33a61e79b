import { createCloudCeiling } from './sky/cloud-ceiling.ts';
import { createLightning } from './sky/lightning.ts';
import { createRainfall, createRainVeils, createSplashes } from './sky/rainfall.ts';
import type { Weather } from './weather.ts';

/** A thunderstorm: a dark ceiling of clouds, rain driven by the wind, and a stroke of lightning. */
export const storm: Weather = {
  light: { cover: 0.92, haze: 0.4, dim: 0.75 },
  create(setting) {
    const { stage, dice, storyboard, travel, sun } = setting;
    if (storyboard.scene === 'space') return [];
    const slant = dice.sign() * dice.between(0.3, 0.5) + 0.2 * travel;
    const fall = createRainfall(setting, { slant, amount: 1.2 });
    if (storyboard.scene === 'abstract') return fall;
    const x = stage.width * (sun.x < stage.width / 2 ? dice.between(0.58, 0.76) : dice.between(0.24, 0.42));
    const lightning = createLightning(setting, { at: dice.between(0.18, 0.6), x, top: stage.horizon * 0.34 });
    return [
      createRainVeils(setting, { slant, amount: 1.4 }),
      ...createCloudCeiling(setting, { darkness: 1, lowest: 0.64, flash: lightning }),
      ...lightning.layers,
      ...fall,
      createSplashes(setting, 1.3),
    ];
  },
};
