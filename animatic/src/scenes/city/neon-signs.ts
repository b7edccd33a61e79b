import { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import type { Plot } from '../../drawing/building-sketch.ts';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { addDisc, fill, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const tubes = [
  colour(0.72, 0.25, 355),
  colour(0.82, 0.14, 205),
  colour(0.68, 0.24, 305),
  colour(0.84, 0.2, 150),
  colour(0.84, 0.16, 75),
] as const;

/** The halo of a tube, from wide and faint to the tube itself: the width of the line and its opacity. */
const halo = [
  [0.03, 0.1],
  [0.017, 0.2],
  [0.008, 0.45],
  [0.0038, 1],
] as const;

interface Sign {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Creates neon signs on houses: upright boxes with strokes that look like writing, arrows and rings. Some flicker. */
export function createNeonSigns(plots: readonly Plot[], { palette, dice }: Setting): Draw {
  const boards = new Path2D();
  const signs = tubes.map(() => new Path2D());
  const flickering = new Path2D();
  for (const { left, width, top, foot } of plots) {
    const room = foot - 0.075 - top;
    if (room < 0.1 || dice.chance(0.22)) continue;
    const path = signs[Math.floor(dice.between(0, signs.length))] ?? flickering;
    const height = Math.min(0.15, 0.75 * room) * dice.between(0.75, 1);
    const sign = {
      x: left + width * dice.between(0.12, 0.7),
      y: top + 0.02 + (room - height) * dice.between(0.2, 0.8),
      width: dice.between(0.024, 0.032),
      height,
    };
    boards.roundRect(sign.x, sign.y, sign.width, sign.height, 0.005);
    addWriting(dice.chance(0.16) ? flickering : path, dice, sign);
    if (dice.chance(0.4)) addEmblem(signs[Math.floor(dice.between(0, signs.length))] ?? path, dice, sign);
  }
  const board = css(mix(palette.ink, palette.skyTop, 0.12), 0.88);
  const strength = palette.isDay ? 0.65 : 1;
  const widest = palette.isDay ? 2 : 0;
  const drawn = [...signs, flickering].map((path, index) => ({
    path,
    isFlickering: path === flickering,
    strokes: halo.slice(widest).map(([width, alpha]) => {
      const tube = tubes[index % tubes.length] ?? tubes[0];
      // The middle of a tube is almost white.
      return { width, style: css(alpha === 1 ? lighten(tube, 0.12) : tube, alpha * strength) };
    }),
  }));
  return (context, moment) => {
    fill(context, board, boards);
    context.lineCap = 'round';
    context.lineJoin = 'round';
    for (const { path, isFlickering, strokes } of drawn) {
      // Two short failures in every cycle.
      const turn = moment.turn(0.4);
      if (isFlickering && ((turn > 0.6 && turn < 0.63) || (turn > 0.67 && turn < 0.72))) continue;
      for (const { width, style } of strokes) stroke(context, style, width, path);
    }
  };
}

/** Adds strokes below each other that look like the characters of a sign; they are not writing, as fonts differ. */
function addWriting(path: Path2D, dice: Dice, { x, y, width, height }: Sign): void {
  const inner = width - 0.012;
  const count = Math.max(2, Math.round(height / (width * 0.95)));
  for (let index = 0; index < count; index++) {
    const left = x + 0.006;
    const top = y + 0.007 + (index * (height - 0.006)) / count;
    const tall = (height - 0.006) / count - 0.008;
    const kind = dice.pick([0, 1, 2, 3]);
    const at = (alongX: number, alongY: number): [number, number] => [left + inner * alongX, top + tall * alongY];
    const strokes: readonly (readonly [number, number])[][] =
      [
        [
          [at(0, 0), at(1, 0), at(0.5, 1)],
          [at(0.1, 0.5), at(0.9, 0.5)],
        ],
        [
          [at(0, 0), at(0, 1), at(1, 1), at(1, 0), at(0, 0)],
          [at(0, 0.5), at(1, 0.5)],
        ],
        [
          [at(0.5, 0), at(0.5, 1)],
          [at(0, 0.35), at(1, 0.35)],
          [at(0.5, 0.35), at(0, 1)],
          [at(0.5, 0.35), at(1, 1)],
        ],
        [[at(0, 0), at(1, 0), at(1, 0.5), at(0, 0.5), at(0, 1), at(1, 1)]],
      ][kind] ?? [];
    for (const [first, ...others] of strokes) {
      if (!first) continue;
      path.moveTo(...first);
      for (const point of others) path.lineTo(...point);
    }
  }
}

/** Adds a ring or an arrow beside a sign. */
function addEmblem(path: Path2D, dice: Dice, { x, y, width, height }: Sign): void {
  const size = 0.016;
  const middle = { x: x + width + 1.6 * size, y: y + height * dice.between(0.15, 0.85) };
  if (dice.chance(0.5)) {
    addDisc(path, middle.x, middle.y, size);
    addDisc(path, middle.x, middle.y, 0.45 * size);
    return;
  }
  for (const down of [-0.7, 0, 0.7]) {
    path.moveTo(middle.x - size, middle.y + size * (down - 0.6));
    path.lineTo(middle.x, middle.y + size * down);
    path.lineTo(middle.x + size, middle.y + size * (down - 0.6));
  }
}
