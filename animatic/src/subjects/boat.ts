import type { Draw } from '../drawing/layer.ts';
import { within } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { roughnessOf } from '../drawing/water.ts';
import { createFoam, createMirror } from './boat/afloat.ts';
import { createHull, drawLantern } from './boat/hull.ts';
import { isInStreet } from './boat/is-in-street.ts';
import { createPaperHull, createPaperMirror, createStreetWater } from './boat/paper-hull.ts';
import { createRig } from './boat/rig.ts';
import type { Subject } from './subject.ts';

/** A small sailing boat, close-hauled, with a person at the tiller or, if the prompt says so, one of folded paper. */
export const boat: Subject = {
  place: 'water',
  length: 0.3,
  speed: 0.14,
  create(setting) {
    const { storyboard, dice } = setting;
    const isAfloat = storyboard.scene === 'sea' || storyboard.scene === 'mountains';
    const roughness = isAfloat ? roughnessOf(storyboard) : 0.4;
    const beat = dice.between(0, 1);
    const isPaper = storyboard.features.includes('paperBoat');
    const drawBoat = isPaper ? createPaperHull(setting) : createSailingBoat(setting);
    const inStreet = isInStreet(storyboard);
    const createBoatMirror = isPaper ? createPaperMirror : createMirror;
    const drawMirror = isAfloat || inStreet ? createBoatMirror(setting) : () => undefined;
    const drawStreetWater = inStreet ? createStreetWater(setting) : () => undefined;
    // Paper is too light to push up a bow wave.
    const drawFoam = isAfloat && !isPaper ? createFoam(setting, roughness) : () => undefined;
    // It also bobs on every ripple.
    const liveliness = isPaper ? 1.9 : 1;
    return (context, moment) => {
      drawStreetWater(context, moment);
      drawMirror(context, moment);
      within(
        context,
        () => context.rect(-2, -3, 4, isAfloat || inStreet ? 3.012 : 4),
        () => {
          // The sea lifts the hull first, and its bow falls afterwards: a hull follows the wave.
          context.translate(0, 0.022 * liveliness * roughness * moment.wave(0.3 * liveliness, beat));
          context.rotate(-0.035 * liveliness * roughness * moment.wave(0.3 * liveliness, beat - 0.2) - 0.012);
          drawBoat(context, moment);
        },
      );
      drawFoam(context, moment);
    };
  },
};

function createSailingBoat(setting: Setting): Draw {
  const drawHull = createHull(setting);
  const drawRig = createRig(setting);
  return (context, moment) => {
    drawRig(context, moment);
    drawHull(context);
    if (!setting.palette.isDay) drawLantern(context, setting, moment);
  };
}
