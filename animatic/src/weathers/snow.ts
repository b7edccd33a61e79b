import { type Colour, colour, css, mix } from '../drawing/colour.ts';
import { createFall } from '../drawing/falling.ts';
import type { Layer } from '../drawing/layer.ts';
import { addDisc, drawAt, fading, fill, fillGlow } from '../drawing/paint.ts';
import type { Palette } from '../drawing/palette.ts';
import type { Setting } from '../drawing/setting.ts';
import { createSprite } from '../drawing/sprite.ts';
import { createCloudCeiling } from './sky/cloud-ceiling.ts';
import type { Weather } from './weather.ts';

/** Slowly falling snow: fine and dense far away, with a few large, soft flakes nearby. */
export const snow: Weather = {
  light: { cover: 0.6, haze: 0.5, dim: 0.14 },
  create(setting) {
    const { storyboard, dice } = setting;
    if (storyboard.scene === 'space') return [];
    const wind = dice.sign() * dice.between(0.05, 0.35);
    const ceiling = storyboard.scene === 'abstract' ? [] : createCloudCeiling(setting, { darkness: 0.15, lowest: 0.5 });
    return [
      ...ceiling,
      createFlakes(setting, { depth: 0.28, perUnit: 110, radius: 0.0026, speed: 0.12, wind, alpha: 0.75 }),
      createFlakes(setting, { depth: 0.6, perUnit: 80, radius: 0.0042, speed: 0.19, wind, alpha: 0.9 }),
      createFlakes(setting, { depth: 0.95, perUnit: 32, radius: 0.0066, speed: 0.28, wind, alpha: 0.95 }),
      createSoftFlakes(setting, wind),
    ];
  },
};

interface Flakes {
  depth: number;
  /** The number of flakes per square unit. */
  perUnit: number;
  radius: number;
  speed: number;
  wind: number;
  alpha: number;
}

/** Creates the flakes at one distance, all in one path. */
function createFlakes(setting: Setting, { depth, perUnit, radius, speed, wind, alpha }: Flakes): Layer {
  const { stage, palette } = setting;
  const count = perUnit * (stage.right - stage.left) * (stage.bottom - stage.top);
  const fall = createFall(setting, { count, speed, slant: wind, flutter: 0.02 + 4 * radius });
  const tone = css(snowTone(palette), alpha);
  return {
    depth,
    draw(context, moment) {
      fill(context, tone, () => {
        fall.each(context, moment, ({ x, y, nature }) => {
          const size = radius * (0.6 + 0.8 * nature);
          addDisc(context, x, y, size);
        });
      });
    },
  };
}

/** Returns the colour of flakes, which are never darker than the sky behind them, because they catch all light. */
function snowTone({ sun, isNight }: Palette): Colour {
  return mix(mix(sun, colour(0.98, 0.01, 240), 0.6), colour(0.7, 0.03, 250), isNight ? 0.35 : 0);
}

/** Creates the nearest flakes, which are out of focus. */
function createSoftFlakes(setting: Setting, wind: number): Layer {
  const { stage, palette } = setting;
  const tone = snowTone(palette);
  const fall = createFall(setting, { count: 9 * (stage.right - stage.left), speed: 0.42, slant: wind, flutter: 0.08 });
  const box = { left: -0.02, top: -0.02, width: 0.04, height: 0.04 };
  const flake = createSprite(setting.pixelsPerUnit, box, (context) =>
    fillGlow(context, { x: 0, y: 0, radius: 0.02 }, fading(tone, { 0: 0.62, 0.5: 0.5, 1: 0 })),
  );
  return {
    depth: 1.45,
    draw(context, moment) {
      fall.each(context, moment, ({ x, y, nature }) => {
        drawAt(context, { x, y, scale: 0.45 + 0.75 * nature }, () => flake(context));
      });
    },
  };
}
