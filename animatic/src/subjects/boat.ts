import { roughnessOf } from '../drawing/water.ts';
import { createFoam, createMirror } from './boat/afloat.ts';
import { createHull, drawLantern } from './boat/hull.ts';
import { createRig } from './boat/rig.ts';
import type { Subject } from './subject.ts';

/** A small sailing boat, close-hauled, with a person at the tiller. */
export const boat: Subject = {
  place: 'water',
  length: 0.3,
  speed: 0.14,
  create(setting) {
    const { storyboard, palette, dice } = setting;
    const isAfloat = storyboard.scene === 'sea' || storyboard.scene === 'mountains';
    const roughness = isAfloat ? roughnessOf(storyboard) : 0.4;
    const beat = dice.between(0, 1);
    const drawHull = createHull(setting);
    const drawRig = createRig(setting);
    const drawMirror = isAfloat ? createMirror(setting) : () => undefined;
    const drawFoam = isAfloat ? createFoam(setting, roughness) : () => undefined;
    return (context, moment) => {
      drawMirror(context, moment);
      context.save();
      context.beginPath();
      context.rect(-2, -3, 4, isAfloat ? 3.012 : 4);
      context.clip();
      // The sea lifts the hull first, and its bow falls afterwards: a hull follows the wave.
      context.translate(0, 0.022 * roughness * moment.wave(0.3, beat));
      context.rotate(-0.035 * roughness * moment.wave(0.3, beat - 0.2) - 0.012);
      drawRig(context, moment);
      drawHull(context);
      if (!palette.isDay) drawLantern(context, setting, moment);
      context.restore();
      drawFoam(context, moment);
    };
  },
};
