import { createWater } from '../drawing/water.ts';
import type { SubjectName } from '../storyboard/vocabulary.ts';
import { airAbove, type Scene } from './scene.ts';
import { createStrand } from './sea/beach.ts';
import { createFarShore } from './sea/far-shore.ts';
import { createForeshore } from './sea/foreshore.ts';
import { createGulls } from './sea/gulls.ts';
import { createIce } from './sea/ice.ts';
import { createRollers } from './sea/rollers.ts';
import { createSeaStacks } from './sea/sea-stacks.ts';
import { createUnderWater } from './under-water.ts';

/** The subjects that are on the beach, even if the prompt says "underwater". */
const ashore: readonly (SubjectName | null)[] = ['person', 'car', 'cat', 'dog', 'horse', 'robot'];

/** Open water under the sky, with the sun's path on it; for a fish, the world under water. */
export const sea: Scene = {
  hasSky: true,
  create(setting) {
    if (setting.storyboard.subject === 'fish') return createUnderWater(setting);
    const { stage, storyboard } = setting;
    const isFair = storyboard.weather === 'clear' || storyboard.weather === 'clouds';
    const hasGulls =
      !setting.palette.isNight && (storyboard.subject === null || storyboard.subject === 'boat') && isFair;
    const below = stage.height - stage.horizon;
    const water = stage.horizon + 0.42 * below;
    const isAshore = ashore.includes(storyboard.subject);
    const ground = isAshore ? stage.horizon + 0.74 * below : water;
    const isBreaking = storyboard.features.includes('breakers');
    const hasRocks = storyboard.features.includes('rocks');
    // Waves run out on the sand, or pass below the lower edge of the frame.
    const shore = isAshore ? ground - 0.11 : stage.horizon + (hasRocks ? 1.05 : 0.66) * below;
    return {
      layers: [
        ...createFarShore(setting),
        ...createWater(setting),
        ...(isBreaking ? createRollers(setting, { shore }) : []),
        ...(hasRocks ? createSeaStacks(setting, { isBreaking }) : []),
        ...(storyboard.season === 'winter' ? createIce(setting, water) : []),
        ...(isAshore ? createStrand(setting, ground) : createForeshore(setting)),
        // There are no gulls if the subject itself is in the air.
        ...(hasGulls ? createGulls(setting) : []),
      ],
      ground,
      water,
      air: airAbove(stage),
    };
  },
};
