import { createBackdrop } from '../drawing/backdrop.ts';
import { css, mix } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import { fillRect, linearGradient } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { createGlassCircles } from './abstract/glass-circles.ts';
import { createHarmony, type Harmony } from './abstract/harmony.ts';
import { createPaperCut } from './abstract/paper-cut.ts';
import { createSilk } from './abstract/silk.ts';
import type { Scene, SceneDrawing } from './scene.ts';

/** The scene of a prompt that names no place: slowly moving colour and light, as silk, glass or cut paper. */
export const abstract: Scene = {
  hasSky: false,
  create(setting) {
    const { dice, storyboard } = setting;
    // A subject needs something to stand on or to fly over, which glass discs do not offer.
    const family = storyboard.subject
      ? dice.pick([createSilkPlace, createPaperPlace])
      : dice.pick([createSilkPlace, createSilkPlace, createGlassPlace, createPaperPlace]);
    return family(setting, createHarmony(setting));
  },
};

function createSilkPlace(setting: Setting, harmony: Harmony): SceneDrawing {
  const { stage } = setting;
  const { layers, edgeAt } = createSilk(setting, harmony);
  return {
    layers: [createGround(setting, harmony, { top: 0.3, bottom: 1 }), ...layers],
    ground: edgeAt(subjectX(setting)) + 0.05,
    water: null,
    air: 0.36 * stage.height,
  };
}

function createGlassPlace(setting: Setting, harmony: Harmony): SceneDrawing {
  const { stage } = setting;
  return {
    layers: [createGround(setting, harmony, { top: 0.02, bottom: 0.38 }), ...createGlassCircles(setting, harmony)],
    ground: 0.78 * stage.height,
    water: null,
    air: 0.45 * stage.height,
  };
}

function createPaperPlace(setting: Setting, harmony: Harmony): SceneDrawing {
  const { stage } = setting;
  const { layers, lipAt } = createPaperCut(setting, harmony);
  return {
    layers: [createGround(setting, harmony, { top: 0.78, bottom: 0.92 }), ...layers],
    ground: lipAt(subjectX(setting)) + 0.02,
    water: null,
    air: 0.45 * stage.height,
  };
}

/** Returns where the subject is: on the side away from the sun. */
function subjectX({ stage, sun }: Setting): number {
  return stage.width * (sun.x > stage.width / 2 ? 0.38 : 0.62);
}

/** Creates the farthest layer: a gradient with the light in it. */
function createGround(setting: Setting, harmony: Harmony, { top, bottom }: { top: number; bottom: number }): Layer {
  const { stage, palette, sun } = setting;
  const reach = 0.75;
  const draw = createBackdrop(setting, (context) => {
    context.fillStyle = linearGradient(context, [0, 0, 0, stage.height], {
      0: harmony.at(top),
      0.3: harmony.at((top + bottom) / 2),
      0.7: harmony.at(bottom),
    });
    context.fillRect(stage.left, stage.top, stage.right - stage.left, stage.bottom - stage.top);
    const y = Math.min(sun.y, 0.4 * stage.height);
    const halo = context.createRadialGradient(sun.x, y, 0, sun.x, y, reach);
    const light = mix(harmony.at(bottom + 0.25), palette.glow, 0.25);
    halo.addColorStop(0, css(light, 0.8));
    halo.addColorStop(0.3, css(light, 0.36));
    halo.addColorStop(1, css(light, 0));
    fillRect(context, halo, stage.left, stage.top, stage.right - stage.left, stage.bottom - stage.top);
  });
  return { depth: 0, draw };
}
