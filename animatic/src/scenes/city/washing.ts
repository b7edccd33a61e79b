import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { addLine } from '../../drawing/building-sketch.ts';
import { type Colour, mix } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import { fill, type Point, stroke } from '../../drawing/paint.ts';

export interface Washing {
  from: Point;
  to: Point;
  pieces: readonly { along: number; width: number; height: number; tone: number }[];
}

/** Chooses the washing on a line between two places at random. */
export function createWashing(dice: Dice, { from, to, y }: { from: number; to: number; y: number }): Washing {
  const pieces = [];
  const length = Math.abs(to - from);
  for (let x = 0.04; x < length - 0.1; ) {
    const width = dice.between(0.04, 0.075);
    pieces.push({
      along: x / length,
      width: width / length,
      height: dice.between(0.06, 0.1),
      tone: Math.floor(dice.between(0, 4)),
    });
    x += width + dice.between(0.012, 0.05);
  }
  return { from: { x: from, y: y - 0.03 }, to: { x: to, y }, pieces };
}

/** Draws washing on a sagging line, in a light wind. */
export function drawWashing(
  context: SKRSContext2D,
  moment: Moment,
  { from, to, pieces }: Washing,
  tones: readonly Colour[],
  ink: Colour,
): void {
  const lineAt = (along: number) => ({
    x: from.x + (to.x - from.x) * along,
    y: from.y + (to.y - from.y) * along + 0.035 * Math.sin(Math.PI * along),
  });
  const rope = new Path2D();
  rope.moveTo(from.x, from.y);
  rope.quadraticCurveTo((from.x + to.x) / 2, (from.y + to.y) / 2 + 0.07, to.x, to.y);
  addLine(rope, to.x, to.y - 0.02, to.x, to.y + 0.5);
  for (const [index, { along, width, height, tone }] of pieces.entries()) {
    const start = lineAt(along);
    const end = lineAt(along + width);
    const wind = 0.012 * moment.wave(0.4, index * 0.13) + 0.008;
    const gust = 0.006 * moment.wave(0.8, index * 0.21);
    fill(context, mix(tones[tone] ?? ink, ink, 0.25), () => {
      context.moveTo(start.x, start.y);
      context.lineTo(end.x, end.y);
      context.quadraticCurveTo(end.x + gust, end.y + height / 2, end.x + wind, end.y + height);
      context.quadraticCurveTo(
        (start.x + end.x) / 2 + wind,
        (start.y + end.y) / 2 + height + 0.008 + gust,
        start.x + wind,
        start.y + height,
      );
      context.quadraticCurveTo(start.x + gust, start.y + height / 2, start.x, start.y);
    });
  }
  stroke(context, ink, 0.0045, rope);
}
