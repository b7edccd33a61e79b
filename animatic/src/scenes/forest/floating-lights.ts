import { css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { disc, fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Floating {
  /** The number of lights per unit of the stage's width. */
  count: number;
  from: number;
  to: number;
}

/** Creates what floats between the trees: motes in the light by day, and fireflies that glow and fade after dusk. */
export function createFloatingLights(
  { stage, palette, storyboard, dice }: Setting,
  { count, from, to }: Floating,
): Layer {
  const areFireflies = (storyboard.time === 'dusk' || palette.isNight) && storyboard.season !== 'winter';
  const lights = Array.from({ length: Math.round(count * stage.width) }, () => ({
    x: dice.between(0, stage.width),
    y: dice.between(from, to),
    radius: (areFireflies ? 0.0026 : 0.0018) * dice.between(0.7, 1.8),
    reach: dice.between(0.02, 0.07),
    pace: dice.between(0.1, 0.3),
    offset: dice.between(0, 1),
  }));
  const tone = areFireflies
    ? mix(palette.lamp, { lightness: 0.92, chroma: 0.17, hue: 112 }, 0.6)
    : mix(palette.sun, palette.glow, 0.3);
  const core = css(tone, areFireflies ? 0.95 : 0.6);
  return {
    depth: 1.06,
    draw(context, moment) {
      for (const { x, y, radius, reach, pace, offset } of lights) {
        const here = {
          x: x + reach * moment.wave(pace, offset),
          y: y + 0.7 * reach * moment.wave(pace * 1.7, offset * 3) + 0.3 * reach * moment.wave(0.6, offset),
        };
        const strength = Math.max(0, 0.55 + 0.6 * moment.wave(0.3 + pace, offset * 7));
        if (strength < 0.03) continue;
        context.globalAlpha = Math.min(1, strength);
        if (areFireflies) {
          for (const [size, alpha] of halo) fill(context, css(tone, alpha), disc(here.x, here.y, radius * size));
        }
        fill(context, core, disc(here.x, here.y, radius));
      }
    },
  };
}

/** The rings of light around a firefly, which are cheaper than a gradient for each. */
const halo = [
  [8, 0.05],
  [5, 0.09],
  [2.6, 0.22],
] as const;
