import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { addLens, fill } from '../../drawing/paint.ts';
import { createReflection } from '../../drawing/reflection.ts';
import type { Setting } from '../../drawing/setting.ts';

const mastX = 0.07;

/** Creates the boat's reflection in the water. */
export function createMirror({ palette }: Setting): Draw {
  const point = (x: number, y: number) => ({ x, y });
  const canvas = mix(palette.lit(colour(0.94, 0.03, 85)), palette.skyMiddle, 0.4);
  const things = [
    {
      outline: [point(mastX, -1.13), point(-0.2, -0.75), point(-0.46, -0.27), point(mastX, -0.27)],
      tone: css(canvas, 0.5),
    },
    { outline: [point(mastX, -1.06), point(0.52, -0.2), point(0, -0.24)], tone: css(canvas, 0.42) },
    {
      outline: [point(-0.47, -0.15), point(0.5, -0.15), point(0.4, 0.01), point(-0.42, 0.01)],
      tone: css(mix(lighten(palette.accent, -0.12), palette.water, 0.3), 0.8),
    },
    ...(palette.isDay
      ? []
      : [
          {
            outline: [
              point(-0.5, -0.62),
              point(-0.44, -0.9),
              point(-0.4, -0.62),
              point(-0.42, -0.2),
              point(-0.47, -0.2),
            ],
            tone: css(palette.lamp, palette.isNight ? 0.6 : 0.28),
          },
        ]),
  ];
  return createReflection(things, { depth: 0.86, rows: 22, squash: 1.3, wobble: 0.03 });
}

/** Creates the bow wave, and the wake lines that run aft from it. */
export function createFoam({ palette, dice }: Setting, roughness: number): Draw {
  const foam = css(mix(palette.lit(colour(0.97, 0.01, 220)), palette.skyLow, 0.3), 0.85);
  const wakes = Array.from({ length: 9 }, (_, index) => ({
    start: index / 9,
    y: 0.012 + 0.07 * dice.between(0, 1) ** 1.5,
    half: dice.between(0.05, 0.12),
  }));
  return (context, moment) => {
    fill(context, foam, () => {
      const bow = 0.04 + 0.02 * roughness * (0.6 + 0.4 * moment.wave(0.3, 0.1));
      context.moveTo(0.52, 0.014);
      context.quadraticCurveTo(0.42, -1.4 * bow, 0.34, -0.2 * bow);
      context.quadraticCurveTo(0.2, 0.006, 0.02, 0.012);
      context.quadraticCurveTo(0.3, 0.03, 0.52, 0.014);
      addLens(context, -0.12, 0.014, 0.34, 0.008);
      for (const { start, y, half } of wakes) {
        const aft = moment.turn(0.35, start);
        const strength = Math.sin(Math.PI * aft);
        addLens(context, 0.25 - 1.15 * aft, y + 0.03 * aft, half * strength * 1.2, 0.007 * strength);
      }
    });
  };
}
