import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, mix } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import { drawAt, ellipse, fill, roundRect, within } from '../../drawing/paint.ts';

// All lengths are fractions of the walker's height; the feet are at y = 0.

/** What the walker has on the head. */
export type HeadCover = 'hat' | 'hood' | 'hair';

/** The colours of a walker. */
export interface Tones {
  coat: Colour;
  coatShade: Colour;
  rim: Colour;
  trousers: Colour;
  boots: Colour;
  skin: Colour;
  hair: Colour;
  scarf: Colour;
  scarfShade: Colour;
  pack: Colour;
}

/** Draws the coat, whose hem moves with the wind and the steps. */
export function drawCoat(
  context: SKRSContext2D,
  tones: Tones,
  { swing, isLong, moment }: { swing: number; isLong: boolean; moment: Moment },
): void {
  const hem = isLong ? -0.27 : -0.4;
  const flare = 0.03 * Math.abs(swing) + (isLong ? 0.035 : 0.015);
  const blow = 0.02 * moment.wave(1.1) + 0.025;
  const body = new Path2D();
  body.moveTo(-0.035, -0.84);
  body.bezierCurveTo(-0.12, -0.82, -0.125, -0.66, -0.1, -0.56);
  body.quadraticCurveTo(-0.12, -0.45, -0.13 - flare - blow, hem + 0.02);
  body.quadraticCurveTo(-0.02, hem + 0.035, 0.1 + flare, hem - 0.01);
  body.quadraticCurveTo(0.1, -0.48, 0.1, -0.58);
  body.bezierCurveTo(0.125, -0.7, 0.1, -0.82, 0.035, -0.84);
  body.closePath();
  fill(context, tones.coat, body);
  // The back is in the shade, the front in the light that the walker walks towards.
  within(context, body, () => {
    fill(context, tones.coatShade, () => {
      context.moveTo(-0.3, -0.9);
      context.lineTo(-0.05, -0.86);
      context.bezierCurveTo(-0.075, -0.7, -0.03, -0.55, -0.075, -0.2);
      context.lineTo(-0.3, -0.2);
    });
    fill(context, tones.rim, () => {
      context.moveTo(0.3, -0.9);
      context.lineTo(0.05, -0.86);
      context.bezierCurveTo(0.1, -0.75, 0.08, -0.6, 0.085 + flare * 0.8, -0.2);
      context.lineTo(0.3, -0.2);
    });
  });
}

/** Draws the backpack with a rolled blanket, which lags behind the bobbing of the hips. */
export function drawPack(context: SKRSContext2D, tones: Tones, bob: number): void {
  drawAt(context, { x: 0, y: -0.5 * bob }, () => {
    fill(context, tones.pack, roundRect(-0.215, -0.81, 0.15, 0.28, [0.06, 0.03, 0.03, 0.05]));
    fill(context, mix(tones.pack, tones.trousers, 0.35), roundRect(-0.225, -0.68, 0.07, 0.12, 0.025));
    fill(context, tones.scarf, roundRect(-0.21, -0.87, 0.14, 0.065, 0.032));
  });
}

/** Draws the head and its cover. */
export function drawHead(context: SKRSContext2D, tones: Tones, head: HeadCover): void {
  fill(context, tones.skin, ellipse(0.022, -0.915, 0.056, 0.068, 0.1));
  const cover = new Path2D();
  if (head === 'hood') {
    cover.moveTo(0.05, -0.99);
    cover.bezierCurveTo(-0.04, -1.04, -0.11, -0.95, -0.08, -0.83);
    cover.lineTo(0.03, -0.83);
    cover.bezierCurveTo(0.005, -0.88, 0.01, -0.94, 0.05, -0.99);
  } else {
    cover.moveTo(0.062, -0.955);
    cover.bezierCurveTo(0.05, -1.01, -0.06, -1.01, -0.062, -0.92);
    cover.bezierCurveTo(-0.068, -0.88, -0.055, -0.85, -0.045, -0.835);
    cover.lineTo(-0.008, -0.85);
    cover.bezierCurveTo(0.012, -0.89, -0.005, -0.93, 0.062, -0.955);
  }
  cover.closePath();
  fill(context, head === 'hood' ? tones.coat : tones.hair, cover);
  if (head === 'hat') {
    fill(context, tones.coatShade, () => {
      context.ellipse(0.008, -0.955, 0.125, 0.022, 0.05, 0, 2 * Math.PI);
      context.roundRect(-0.06, -1.03, 0.13, 0.075, [0.045, 0.045, 0, 0]);
    });
  }
}

/** Draws the scarf around the neck. */
export function drawCollar(context: SKRSContext2D, tones: Tones): void {
  fill(context, tones.scarf, roundRect(-0.07, -0.868, 0.145, 0.062, 0.03));
  fill(context, tones.scarfShade, roundRect(-0.07, -0.835, 0.1, 0.028, 0.014));
}

/** Draws the ends of the scarf, which stream behind in the wind: waves run outwards along them. */
export function drawScarfTail(context: SKRSContext2D, tones: Tones, moment: Moment): void {
  for (const [length, offset, tone] of [
    [0.36, 0.35, tones.scarfShade],
    [0.46, 0, tones.scarf],
  ] as const) {
    const steps = 8;
    const turn = moment.turn(1.2, offset);
    const pointAt = (along: number) => ({
      x: -0.05 - length * along,
      y: -0.835 + 0.1 * along * along + 0.055 * along ** 0.8 * Math.sin(2 * Math.PI * (turn - 0.9 * along)),
    });
    fill(context, tone, () => {
      for (const side of [-1, 1]) {
        for (let step = 0; step <= steps; step++) {
          const along = (side < 0 ? step : steps - step) / steps;
          const { x, y } = pointAt(along);
          context.lineTo(x, y + side * (0.024 + 0.016 * along));
        }
      }
      context.closePath();
    });
  }
}
