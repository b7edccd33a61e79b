import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { type Colour, colour, mix } from '../../drawing/colour.ts';
import type { Paint } from '../../drawing/layer.ts';
import { addLineThrough, fading, fill, fillGlow, linearGradient, type Point } from '../../drawing/paint.ts';
import type { Palette } from '../../drawing/palette.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createSprite } from '../../drawing/sprite.ts';

interface Options {
  length: number;
  height: number;
  /** The direction of the sun, −1..1, which is the lit side. */
  sunward: number;
  /** How much of the sun's light reaches it, 0..1. */
  brightness: number;
  /** From 0, where the cloud is only haze, to 1. */
  nearness: number;
}

interface Puff {
  x: number;
  y: number;
  radius: number;
}

/** Creates a cloud, its base at y = 0 and middle at x = 0: puffs, lit from above and the sun's side, shaded below. */
export function createCumulus(setting: Setting, options: Options): Paint {
  const { length, height, sunward } = options;
  const { puffs, ridge } = createHeap(setting.dice, length, height);
  const tones = tonesOf(setting.palette, options);
  const body = bodyOf(puffs, ridge);
  const box = { left: -0.62 * length, top: -1.3 * height - 0.02, width: 1.24 * length, height: 1.3 * height + 0.03 };
  return createSprite(setting.pixelsPerUnit, box, (context) => {
    fill(context, tones.shade, body);
    context.globalCompositeOperation = 'source-atop';
    // The whole heap is painted first, then each puff: large forms before small ones, as a painter would.
    glow(
      context,
      { x: sunward * length * 0.3, y: -height * 1.05, radius: Math.max(height * 1.15, length * 0.5) },
      tones.lit,
      0.7,
    );
    for (const { x, y, radius } of puffs) {
      const share = 0.35 + 0.65 * Math.min(1, -y / height);
      glow(context, { x: x - 0.3 * sunward * radius, y: y + 0.55 * radius, radius: radius * 1.15 }, tones.shade, 0.3);
      glow(
        context,
        { x: x + 0.35 * sunward * radius, y: y - 0.42 * radius, radius: radius * 1.05 },
        tones.lit,
        0.95 * share,
      );
    }
    context.fillStyle = linearGradient(context, [0, -0.5 * height, 0, 0], fading(tones.base, { 0: 0, 1: 0.9 }));
    context.fillRect(-length, -0.5 * height, 2 * length, 0.5 * height);
    // The base dissolves into the air.
    context.globalCompositeOperation = 'destination-out';
    const stops = fading(tones.base, { 0: 1 - tones.alpha, 1: 0.85 });
    context.fillStyle = linearGradient(context, [0, -0.3 * height, 0, 0.01], stops);
    context.fillRect(-length, -2 * height, 2 * length, 2 * height + 0.02);
  });
}

/** Creates domes side by side, with puffs of different sizes close together along their outline. */
function createHeap(dice: Dice, length: number, height: number): { puffs: Puff[]; ridge: Point[] } {
  const summit = dice.between(-0.14, 0.14);
  const side = dice.sign();
  const domes = [
    { at: summit, width: dice.between(0.2, 0.27), height },
    {
      at: summit + side * dice.between(0.17, 0.23),
      width: dice.between(0.17, 0.22),
      height: height * dice.between(0.55, 0.75),
    },
    {
      at: summit - side * dice.between(0.18, 0.26),
      width: dice.between(0.17, 0.22),
      height: height * dice.between(0.35, 0.6),
    },
    { at: dice.between(-0.06, 0.06), width: 0.47, height: height * 0.24 },
  ];
  const topAt = (along: number) =>
    Math.max(
      0,
      ...domes.map((dome) => dome.height * Math.sqrt(Math.max(0, 1 - ((along - dome.at) / dome.width) ** 2))),
    );
  const scale = Math.sqrt(length * height);
  const puffs: Puff[] = [];
  const ridge = [{ x: -0.5 * length, y: 0 }];
  let travelled = 0;
  let wanted = 0;
  const step = 0.004;
  for (let along = -0.53; along < 0.53; along += step) {
    const rise = topAt(along + step) - topAt(along);
    travelled += Math.hypot(step * length, rise);
    if (travelled < wanted) continue;
    const top = topAt(along);
    if (top === 0) continue;
    const radius = scale * dice.between(0.055, 0.125) * (0.45 + 0.55 * Math.min(1, top / (0.5 * height)));
    travelled = 0;
    wanted = radius * dice.between(0.75, 1.05);
    const x = along * length;
    const y = Math.min(-0.8 * radius, 0.75 * radius - top);
    puffs.push({ x, y, radius });
    ridge.push({ x, y: Math.min(0, y) });
    // Smaller puffs fill the inside, if there is room.
    for (
      let inner = 0.45 * radius - top + 1.2 * radius;
      inner < -1.2 * radius;
      inner += radius * dice.between(1.2, 2)
    ) {
      puffs.push({ x: x + dice.between(-0.7, 0.7) * radius, y: inner, radius: radius * dice.between(0.7, 1.1) });
    }
  }
  ridge.push({ x: 0.5 * length, y: 0 });
  return { puffs: puffs.sort((one, other) => one.y - other.y), ridge };
}

function tonesOf(palette: Palette, { brightness, nearness }: Options) {
  const { isNight, isDay, sunStrength } = palette;
  const white = palette.lit(colour(0.99, 0.006, 90));
  const sunlight = mix(palette.glow, palette.sun, 0.75);
  const sunlit = isNight ? mix(white, palette.glow, 0.55) : mix(white, sunlight, isDay ? 0.7 : 0.88);
  const shadow = isDay
    ? mix(mix(palette.skyMiddle, palette.skyLow, 0.3), white, 0.12)
    : mix(palette.skyMiddle, isNight ? palette.skyTop : white, isNight ? 0.6 : 0.55);
  const distance = (tone: Colour) => mix(palette.skyLow, tone, 0.4 + 0.6 * nearness);
  const reach = (isNight ? 0.25 + 0.75 * brightness : 0.72 + 0.28 * brightness) * (0.4 + 0.6 * sunStrength);
  return {
    lit: distance(mix(shadow, sunlit, reach)),
    shade: distance(shadow),
    base: distance(mix(shadow, palette.skyMiddle, 0.4)),
    alpha: 0.7 + 0.27 * nearness,
  };
}

function glow(context: SKRSContext2D, place: Puff, tone: Colour, alpha: number): void {
  fillGlow(context, place, fading(tone, { 0: alpha, 0.5: alpha * 0.6, 1: 0 }));
}

/** Returns the puffs and the area between them and the base, as one shape. */
function bodyOf(puffs: readonly Puff[], ridge: readonly Point[]): Path2D {
  const body = new Path2D();
  for (const puff of puffs) addAboveBase(body, puff);
  addLineThrough(body, ridge);
  body.closePath();
  return body;
}

/** Adds a disc, cut off at the base; all run in the same direction, because others would cut holes into them. */
function addAboveBase(path: Path2D, { x, y, radius }: Puff): void {
  const cut = y + radius > 0 ? Math.asin(Math.min(1, Math.max(-1, -y / radius))) : Math.PI / 2;
  path.moveTo(x - radius * Math.cos(cut), y + radius * Math.sin(cut));
  path.arc(x, y, radius, Math.PI - cut, 2 * Math.PI + cut);
  path.closePath();
}
