import { createWater } from '../drawing/water.ts';
import type { Scene } from './scene.ts';
import { createFarShore } from './sea/far-shore.ts';
import { createForeshore } from './sea/foreshore.ts';
import { createGulls } from './sea/gulls.ts';
import { createIce } from './sea/ice.ts';
import { createUnderWater } from './under-water.ts';

/** Open water under the sky, with the sun's path upon it; for a fish, the world below it. */
export const sea: Scene = {
  hasSky: true,
  create(setting) {
    if (setting.storyboard.subject === 'fish') return createUnderWater(setting);
    const { stage, storyboard } = setting;
    const isFair = storyboard.weather === 'clear' || storyboard.weather === 'clouds';
    const hasGulls =
      !setting.palette.isNight && (storyboard.subject === null || storyboard.subject === 'boat') && isFair;
    const water = stage.horizon + 0.42 * (stage.height - stage.horizon);
    return {
      layers: [
        ...createFarShore(setting),
        ...createWater(setting),
        ...(storyboard.season === 'winter' ? createIce(setting, water) : []),
        ...createForeshore(setting),
        // A bird or a balloon has the air to itself.
        ...(hasGulls ? createGulls(setting) : []),
      ],
      ground: water,
      water,
      air: stage.horizon - 0.06 - 0.14 * stage.horizon,
    };
  },
};
