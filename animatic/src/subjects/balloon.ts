import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, lighten, mix } from '../drawing/colour.ts';
import { ease } from '../drawing/ease.ts';
import { createMoment, type Moment } from '../drawing/moment.ts';
import { drawAt, ellipse, fill, radialGradient } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { createSprite } from '../drawing/sprite.ts';
import { drawBasket } from './balloon/basket.ts';
import type { Subject } from './subject.ts';

const length = 0.36;

/** A hot air balloon that rises and sinks slowly, with a swinging basket; others drift far away. */
export const balloon: Subject = {
  place: 'air',
  length,
  speed: 0,
  create(setting) {
    const { palette, dice } = setting;
    const near = createBalloon(setting, palette.accent, 1);
    const count = dice.pick([2, 3]);
    const side = dice.sign();
    const others = Array.from({ length: count }, (_, index) => {
      const turned = { ...palette.accent, hue: palette.accent.hue + (index - 1) * 60 + 20 };
      const size = 0.34 - 0.08 * index;
      const drawOnce = createBalloon(setting, turned, 0.42 - 0.1 * index);
      const rest = createMoment(0, { seconds: 1, pace: 1 });
      return {
        // It is so small that it is painted only once.
        draw: createSprite(
          setting.pixelsPerUnit * length * size * 1.3,
          { left: -0.5, top: -0.7, width: 1, height: 1.4 },
          (context) => drawOnce(context, rest, 0.1 * index),
        ),
        x: (index % 2 === 0 ? side : -side) * dice.between(0.85, 1.5),
        y: dice.between(-0.45, 0.3),
        size,
        lag: 0.2 + index * 0.27,
      };
    });
    return (context, moment) => {
      for (const { draw, x, y, size, lag } of others) {
        const place = { x: x + 0.03 * moment.wave(0.12, lag), y: y + 0.05 * moment.wave(0.14, lag), scale: size };
        drawAt(context, place, () => draw(context));
      }
      // Its middle is above the flight line, so that the basket clears the ground.
      context.translate(0.02 * moment.wave(0.12, 0.2), 0.06 * moment.wave(0.16) - 0.16);
      near(context, moment, 0);
    };
  },
};

const top = -0.62;
const mouth = 0.3;
const gores = 12;

/** Returns half the width of the envelope at a height: round above, narrowing to the mouth below. */
function halfWidth(y: number): number {
  const along = (y - top) / (mouth - top);
  if (along < 0.44) return 0.4 * Math.sqrt(Math.max(0, 1 - ((0.44 - along) / 0.44) ** 2));
  const down = (along - 0.44) / 0.56;
  return 0.4 * (1 - 0.81 * ease(down) ** 1.06 * (0.72 + 0.28 * down));
}

const heights = Array.from(
  { length: 15 },
  (_, index) => top + ((mouth - top) * (1 - Math.cos((Math.PI * index) / 14))) / 2,
);

type DrawBalloon = (context: SKRSContext2D, moment: Moment, lag: number) => void;

/** Creates one balloon of unit size; a `nearness` of 1 is near. */
function createBalloon(setting: Setting, accent: Colour, nearness: number): DrawBalloon {
  const { palette, dice } = setting;
  const away = (tone: Colour) => palette.far(tone, nearness);
  const cream = mix(palette.lit(colour(0.95, 0.04, 85)), accent, 0.08);
  // Yellow is combined with orange, because its other neighbour, green, would look sickly.
  const side = accent.hue > 60 && accent.hue < 130 ? -1 : dice.sign();
  const neighbour = { ...accent, hue: accent.hue + side * 32 };
  const pattern = dice.pick([
    [accent, cream],
    [accent, neighbour, cream],
    [accent, accent, neighbour, cream, neighbour, accent],
    [accent, lighten(neighbour, 0.06)],
  ]);
  const cloths = pattern.map((tone) => css(away(tone)));
  const deep = css(away(mix(accent, palette.ink, 0.6)));
  const band = css(away(mix(cream, neighbour, dice.pick([0, 0.9]))));
  const hasBand = dice.chance(0.6);
  const wicker = away(palette.lit(colour(0.5, 0.09, 62)));
  const rope = css(away(mix(palette.ink, wicker, 0.3)), 0.9);
  const flame = palette.isNight ? 0.78 : palette.isDay ? 0.12 : 0.42;

  return (context, moment, lag) => {
    // The burner is lit for a moment at regular intervals; the envelope then glows and slowly darkens.
    const sinceLit = moment.turn(0.4, lag + 0.14);
    const burn =
      sinceLit < 0.12 ? Math.max(sinceLit / 0.12, Math.exp(-0.88 * 2.6)) : Math.exp(-(sinceLit - 0.12) * 2.6);
    const swing = 0.05 * moment.wave(0.16, lag - 0.18);
    context.save();
    context.rotate(0.02 * moment.wave(0.16, lag + 0.1));
    context.translate(0, mouth);
    drawBasket(context, { swing, wicker, rope, ink: palette.ink, burn });
    context.translate(0, -mouth);
    // It turns by whole repeats of its pattern, so that the video loops.
    const turned = pattern.length * moment.turn(0.1);
    for (let gore = -pattern.length; gore < gores; gore++) {
      const from = Math.max(-0.5, (gore + turned) / gores - 0.5);
      const to = Math.min(0.5, (gore + 1 + turned) / gores - 0.5);
      if (to <= -0.5 || from >= 0.5) continue;
      context.fillStyle = cloths[((gore % cloths.length) + cloths.length) % cloths.length] ?? deep;
      goreBetween(context, Math.sin(Math.PI * from), Math.sin(Math.PI * to) + (to < 0.5 ? 0.012 : 0));
    }
    if (hasBand) {
      fill(context, band, () => {
        zigzag(context, -0.16, 0.035);
        zigzag(context, -0.06, -0.035, true);
      });
    }
    drawLight(context, setting, { burn, flame, nearness });
    fill(context, deep, ellipse(0, mouth, halfWidth(mouth), 0.016));
    context.restore();
  };
}

function goreBetween(context: SKRSContext2D, from: number, to: number): void {
  context.beginPath();
  for (const y of heights) context.lineTo(from * halfWidth(y), y);
  for (const y of heights.toReversed()) context.lineTo(to * halfWidth(y), y);
  context.fill();
}

/** Traces one edge of a band around the envelope, as a zigzag that narrows towards the sides. */
function zigzag(context: SKRSContext2D, y: number, depth: number, isBack = false): void {
  const steps = 20;
  for (let step = 0; step <= steps; step++) {
    const index = isBack ? steps - step : step;
    const around = Math.sin(Math.PI * (index / steps - 0.5));
    const height = y + 0.03 * (1 - around * around) + (index % 2 === 0 ? depth : 0);
    context.lineTo(around * halfWidth(height), height);
  }
}

/** Draws sunlight on the side that the balloon faces, shade on the other, and the burner's light from below. */
function drawLight(
  context: SKRSContext2D,
  { palette }: Setting,
  { burn, flame, nearness }: { burn: number; flame: number; nearness: number },
): void {
  const shade = mix(palette.ink, palette.skyTop, 0.35);
  context.fillStyle = radialGradient(context, [0.2, -0.36, 0.02, 0.02, -0.2, 0.62], {
    0: css(palette.sun, palette.isNight ? 0.1 : 0.38),
    0.4: css(palette.sun, 0),
    0.55: css(shade, 0),
    1: css(shade, 0.62 * nearness),
  });
  goreBetween(context, -1, 1);
  const strength = flame * (0.3 + 0.7 * burn);
  context.fillStyle = radialGradient(context, [0, mouth, 0.02, 0, mouth - 0.16, 0.86], {
    0: css(palette.lamp, strength),
    0.4: css(mix(palette.lamp, palette.accent, 0.3), 0.7 * strength),
    1: css(mix(palette.lamp, palette.accent, 0.5), 0.12 * strength),
  });
  goreBetween(context, -1, 1);
}
