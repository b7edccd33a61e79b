import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { addLine } from '../../drawing/building-sketch.ts';
import { type Colour, colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { ellipse, fading, fill, fillRect, linearGradient, radialGradient, stroke } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addPoplar, addStreetTree } from './street-trees.ts';

interface Street {
  depth: number;
  /** The y where wheels and feet touch the street. */
  ground: number;
  /** Whether there is water behind the street; it then has a railing. */
  isQuay: boolean;
}

/** Creates a street across the picture: a pavement with trees and lamps, the road, and the near pavement. */
export function createStreet(setting: Setting, { depth, ground, isQuay }: Street): Layer {
  const { stage, palette, dice, storyboard } = setting;
  const scroll = createScroll(setting, depth, stage.width);
  const isWet = storyboard.weather === 'rain' || storyboard.weather === 'storm';
  const kerb = ground - 0.022;
  const edge = kerb - 0.022;
  const roadEnd = ground + 0.06;

  const count = Math.max(2, Math.round(scroll.length / dice.between(0.5, 0.7)));
  const spacing = scroll.length / count;
  const lamps = Array.from({ length: count }, (_, index) => ({ x: (index + 0.25) * spacing, y: edge - 0.3 }));
  // There are no trees in front of a boat on the river, because they would hide it.
  const hasTrees = (!isQuay || dice.chance(0.6)) && depth < 1;
  const trees = hasTrees
    ? lamps
        .filter(() => dice.chance(0.75))
        .map(({ x }) => ({ x: x + spacing * dice.between(0.4, 0.62), height: dice.between(0.19, 0.3) }))
    : [];
  const crowns = new Path2D();
  const crownLights = new Path2D();
  const iron = new Path2D();
  const benches = new Path2D();
  const trunks = new Path2D();
  const sunSide = setting.sun.x < stage.width / 2 ? -1 : 1;
  const addTree = dice.chance(0.65) ? addStreetTree : addPoplar;
  // Poplars stand in groups.
  if (addTree === addPoplar)
    trees.push(
      ...trees.flatMap(({ x, height }) => [
        { x: x - 0.052, height: height * 0.78 },
        { x: x + 0.045, height: height * 0.62 },
      ]),
    );
  for (const { x, height } of trees)
    addTree({ trunks, crowns, lights: crownLights }, dice, { x, foot: edge + 0.006, height, sunSide });
  for (const { x, y } of lamps) {
    addLine(iron, x, edge + 0.008, x, y);
    addLine(iron, x - 0.014, y + 0.028, x + 0.014, y + 0.028);
    if (dice.chance(0.5)) addBench(benches, x + spacing * dice.between(0.16, 0.26), kerb - 0.006);
  }
  const railing = new Path2D();
  if (isQuay) {
    const posts = count * 14;
    for (let post = 0; post < posts; post++)
      addLine(railing, (post * scroll.length) / posts, edge + 0.004, (post * scroll.length) / posts, edge - 0.04);
    addLine(railing, -0.01, edge - 0.041, scroll.length + 0.01, edge - 0.041);
    addLine(railing, -0.01, edge - 0.01, scroll.length + 0.01, edge - 0.01);
  }
  const dashes = new Path2D();
  const dashCount = count * 4;
  for (let dash = 0; dash < dashCount; dash++)
    dashes.rect((dash * scroll.length) / dashCount, ground + 0.024, (scroll.length / dashCount) * 0.45, 0.004);

  const isSnowy = palette.coverAmount === 1;
  const pavement = mix(palette.lit(colour(0.68, 0.025, 70)), palette.cover, isSnowy ? 0.7 : 0);
  const road = palette.lit(colour(isSnowy ? 0.55 : 0.43, 0.02, 265));
  const metal = css(mix(palette.ink, palette.skyTop, 0.18));
  const foliage = mix(palette.foliage, palette.ink, 0.3);
  const bench = css(mix(palette.lit(colour(0.5, 0.09, 50)), palette.ink, 0.25));
  const span = stage.right - stage.left;
  return {
    depth,
    draw(context, moment) {
      const strip = (top: number, bottom: number, tone: Colour) =>
        fillRect(context, tone, stage.left, top, span, bottom - top);
      strip(edge, kerb, lighten(pavement, -0.06));
      strip(kerb, kerb + 0.005, lighten(pavement, -0.16));
      strip(kerb + 0.005, roadEnd, road);
      strip(roadEnd, roadEnd + 0.006, lighten(pavement, 0.04));
      strip(roadEnd + 0.006, roadEnd + 0.016, lighten(pavement, -0.14));
      context.fillStyle = linearGradient(context, [0, roadEnd, 0, stage.height], {
        0: lighten(pavement, -0.03),
        1: mix(pavement, palette.ink, 0.55),
      });
      context.fillRect(stage.left, roadEnd + 0.016, span, stage.bottom + 0.4 - roadEnd);
      if (isWet) drawSheen(context, setting, kerb + 0.006, roadEnd);
      scroll.draw(context, moment, () => {
        fill(context, css(lighten(road, 0.22), 0.7), dashes);
        stroke(context, metal, 0.004, railing);
        stroke(context, mix(palette.ink, colour(0.4, 0.05, 50), 0.3), 0.011, trunks);
        fill(context, foliage, crowns);
        fill(context, css(mix(lighten(foliage, 0.07), palette.sun, 0.1 * palette.sunStrength), 0.6), crownLights);
        stroke(context, metal, 0.0065, iron);
        stroke(context, bench, 0.005, benches);
        for (const { x, y } of lamps)
          drawLamp(context, setting, { x, y, ground: kerb, isWet, shimmer: moment.wave(1.2, x) });
      });
    },
  };
}

function addBench(path: Path2D, x: number, foot: number): void {
  for (const y of [0.024, 0.038, 0.047]) addLine(path, x - 0.042, foot - y, x + 0.042, foot - y);
  for (const leg of [-0.034, 0.034]) addLine(path, x + leg, foot, x + leg, foot - 0.048);
}

/** Draws the sky's reflection on wet asphalt. */
function drawSheen(context: SKRSContext2D, { stage, palette }: Setting, top: number, bottom: number): void {
  context.fillStyle = linearGradient(context, [0, top, 0, bottom + 0.12], {
    0: css(palette.skyLow, 0.42),
    0.4: css(palette.skyMiddle, 0.22),
    1: css(palette.skyTop, 0.05),
  });
  context.fillRect(stage.left, top, stage.right - stage.left, bottom + 0.12 - top);
}

interface LampPost {
  x: number;
  y: number;
  ground: number;
  isWet: boolean;
  shimmer: number;
}

function drawLamp(context: SKRSContext2D, { palette }: Setting, { x, y, ground, isWet, shimmer }: LampPost): void {
  fillRect(context, mix(palette.ink, palette.skyTop, 0.18), x - 0.013, y - 0.033, 0.026, 0.006);
  if (palette.isDay) {
    fillRect(context, css(mix(palette.skyLow, palette.sun, 0.5), 0.9), x - 0.0095, y - 0.027, 0.019, 0.027);
    return;
  }
  const strength = palette.isNight ? 1 : 0.7;
  const stops = fading(palette.lamp, { 0: 0.5 * strength, 0.3: 0.16 * strength, 1: 0 });
  context.fillStyle = radialGradient(context, [x, y - 0.013, 0, x, y - 0.013, 0.13], stops);
  context.fillRect(x - 0.13, y - 0.143, 0.26, 0.26);
  fillRect(context, lighten(palette.lamp, 0.05), x - 0.0095, y - 0.027, 0.019, 0.027);
  for (const [width, alpha] of [
    [0.15, 0.08],
    [0.09, 0.12],
  ] as const)
    fill(context, css(palette.lamp, alpha * strength), ellipse(x, ground + 0.014, width, width * 0.17));
  if (!isWet) return;
  fill(context, linearGradient(context, [0, ground, 0, ground + 0.16], fading(palette.lamp, { 0: 0.6, 1: 0 })), () => {
    for (let piece = 0; piece < 9; piece++) {
      const half = 0.011 + 0.008 * Math.sin(piece * 2.4) + 0.003 * shimmer;
      const sway = 0.004 * Math.sin(piece * 1.7) * shimmer;
      context.roundRect(x - half + sway, ground + 0.006 + piece * 0.017, 2 * half, 0.012, 0.006);
    }
  });
}
