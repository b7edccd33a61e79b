import { Path2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { addLens, fill, linearGradient } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addCoral } from './coral.ts';
import type { Depths } from './depths.ts';

interface Bed {
  depth: number;
  top: number;
  rise: number;
  /** Whether the ground is sand, with corals and moving light; otherwise it is rock. */
  isSand: boolean;
}

/** Creates one layer of the seabed, which passes by when the fish swims. */
export function createSeabed(
  setting: Setting,
  { through, lit, shallow, beam }: Depths,
  { depth, top, rise, isSand }: Bed,
): Layer {
  const { stage, palette, dice } = setting;
  const scroll = createScroll(setting, depth, isSand || depth > 1 ? stage.width : 0.9);
  const curve = createNoise(dice, { period: scroll.length, octaves: isSand ? 2 : 3 });
  const towers = createNoise(dice, { period: scroll.length, octaves: 4 });
  // Here and there the rock rises in towers, because no wind wears it down.
  const topAt = (x: number) =>
    top - rise * curve(x) - (isSand || depth > 1 ? 0 : 3.4 * rise * Math.max(0, towers(x) - 0.1));
  const ground = new Path2D();
  ground.moveTo(-0.01, stage.bottom + 0.4);
  for (let x = -0.01; x <= scroll.length + 0.012; x += 0.011) ground.lineTo(x, topAt(x));
  ground.lineTo(scroll.length + 0.012, stage.bottom + 0.4);
  const thick = isSand ? 0.006 : 0.007 + 0.006 * depth;
  const edge = new Path2D();
  for (let x = -0.01; x <= scroll.length + 0.012; x += 0.011) edge.lineTo(x, topAt(x));
  for (let x = scroll.length + 0.012; x >= -0.01; x -= 0.022) edge.lineTo(x, topAt(x) + thick + 0.01);
  const rock = lit(colour(0.44, 0.07, 245));
  const near = isSand ? lit(colour(0.86, 0.075, 92)) : depth > 1 ? mix(rock, palette.ink, 0.8) : rock;
  const rim = css(through(mix(near, shallow, depth > 1 ? 0.06 : 0.22), depth));
  const upper = css(through(lighten(near, depth < 1 ? 0.03 : 0), depth));
  const lower = css(through(mix(near, palette.ink, 0.5), depth));
  const corals = [colour(0.68, 0.17, 18), colour(0.76, 0.14, 62), colour(0.62, 0.15, 335)].map((tone) => ({
    path: new Path2D(),
    tone: css(through(lit(tone), depth)),
  }));
  const caustics = new Path2D();
  if (isSand) {
    for (let count = 0; count < 4.5 * scroll.length; count++) {
      const { path } = dice.pick([corals[0], corals[1], corals[2]]) ?? { path: new Path2D() };
      const x = dice.between(0.06, scroll.length - 0.06);
      addCoral(path, dice, { x, y: topAt(x) + 0.02, height: dice.between(0.05, 0.12) });
    }
    for (let count = 0; count < 24 * scroll.length; count++) {
      const x = dice.between(0, scroll.length);
      const down = dice.between(0.03, 0.3);
      addLens(caustics, x, topAt(x) + down, dice.between(0.01, 0.03) * (1 + 3 * down), 0.002 + 0.008 * down);
    }
  }
  const light = css(beam);
  return {
    depth,
    draw(context, moment) {
      const gradient = linearGradient(context, [0, top - rise, 0, top + 0.32], { 0: upper, 1: lower });
      scroll.draw(context, moment, () => {
        context.lineCap = 'round';
        context.lineWidth = 0.011;
        if (isSand) {
          for (const { path, tone } of corals) {
            context.strokeStyle = tone;
            context.stroke(path);
          }
        }
        // The light from above falls on its upper edge.
        fill(context, rim, edge);
        context.translate(0, thick);
        fill(context, gradient, ground);
        if (!isSand) return;
        context.fillStyle = light;
        context.globalAlpha = (palette.isNight ? 0.16 : 0.42) * (0.75 + 0.25 * moment.wave(0.5));
        context.translate(0.012 * moment.wave(0.3), 0);
        context.fill(caustics);
        context.translate(0.05 + 0.012 * moment.wave(0.4, 0.3), 0.012);
        context.globalAlpha = (palette.isNight ? 0.1 : 0.28) * (0.75 + 0.25 * moment.wave(0.5, 0.5));
        context.fill(caustics);
      });
    },
  };
}
