import { createCloudCeiling } from './sky/cloud-ceiling.ts';
import { createRainfall, createRainVeils, createSplashes } from './sky/rainfall.ts';
import type { Weather } from './weather.ts';

/** Steady rain from an overcast sky, in a random wind. */
export const rain: Weather = {
  light: { cover: 0.84, haze: 0.45, dim: 0.35 },
  create(setting) {
    const { dice, storyboard, travel } = setting;
    if (storyboard.scene === 'space') return [];
    // For a travelling subject, the rain comes from ahead.
    const slant = dice.sign() * dice.between(0.06, 0.26) + 0.2 * travel;
    const fall = createRainfall(setting, { slant, amount: 1 });
    if (storyboard.scene === 'abstract') return fall;
    return [
      createRainVeils(setting, { slant, amount: 1 }),
      ...createCloudCeiling(setting, { darkness: 0.4, lowest: 0.5 }),
      ...fall,
      createSplashes(setting, 1),
    ];
  },
};
