import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { addLens, fill, type Point } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates rocks in the lower corners, with the sea washing around them. */
export function createRocks({ stage, palette, dice, sun }: Setting): Layer[] {
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const below = stage.height - stage.horizon;
  const rocks = Array.from({ length: 7 }, (_, index) => {
    // Most rocks are on the side away from the sun, one or two in the other corner.
    const isOther = index > 4;
    const from = (side === 1) !== isOther ? stage.width : 0;
    const inward = from === 0 ? 1 : -1;
    const size = below * (isOther ? dice.between(0.1, 0.2) : dice.between(0.14, 0.34) * (1 - 0.12 * index));
    const x =
      from +
      inward *
        (isOther
          ? dice.between(-0.05, 0.14)
          : (0.02 + index * 0.085) * Math.min(1.3, stage.width) * dice.between(0.8, 1.1));
    const y = stage.height - (isOther ? 0.01 : 0.05 - 0.012 * index) * dice.between(0.6, 1.4);
    return { x, y, size, width: size * dice.between(0.8, 1.5) };
  }).sort((one, other) => one.y - other.y);
  const body = css(mix(palette.rock, palette.ink, 0.6));
  const face = css(mix(mix(palette.rock, palette.ink, 0.42), palette.glow, 0.14 * palette.sunStrength));
  const cover = palette.coverAmount === 1 ? css(palette.cover, 0.9) : face;
  const foam = css(mix(palette.lit(colour(0.97, 0.01, 220)), palette.skyLow, 0.3), 0.8);
  const drawn = rocks.map(({ x, y, size, width }) => {
    const lightSide = sun.x < x ? -1 : 1;
    const peak = x + width * dice.between(-0.25, 0.25);
    const top = y - size;
    const shoulder = { x: peak + lightSide * width * 0.42, y: y - size * dice.between(0.55, 0.8) };
    const back = { x: peak - lightSide * width * 0.5, y: y - size * dice.between(0.55, 0.85) };
    const foot = y + 0.6;
    const outline = roundedPath([
      { x: x - lightSide * width * 0.95, y: foot },
      { x: x - lightSide * width * 0.9, y: y - size * 0.05 },
      back,
      { x: peak - lightSide * width * 0.2, y: top + size * 0.04 },
      { x: peak + lightSide * width * 0.1, y: top },
      shoulder,
      { x: x + lightSide * width * 0.9, y: y - size * 0.02 },
      { x: x + lightSide * width * 0.95, y: foot },
    ]);
    const lit = roundedPath([
      { x: peak - lightSide * width * 0.16, y: top + size * 0.05 },
      { x: peak + lightSide * width * 0.1, y: top + 0.002 },
      { x: shoulder.x - lightSide * 0.004, y: shoulder.y + 0.002 },
      { x: x + lightSide * width * 0.84, y: y - size * 0.06 },
      { x: x + lightSide * width * 0.5, y: y - size * 0.24 },
      { x: peak + lightSide * width * 0.22, y: y - size * dice.between(0.6, 0.72) },
    ]);
    return { outline, lit, x, y, width, beat: dice.between(0, 1) };
  });
  return [
    {
      depth: 1.25,
      draw(context, moment) {
        for (const { outline, lit, x, y, width, beat } of drawn) {
          const wash = moment.wave(0.25, beat);
          fill(context, foam, () => {
            addLens(context, x + 0.01 * wash, y - 0.006 * wash, width * (1.25 + 0.12 * wash), 0.008 + 0.003 * wash);
            addLens(context, x - 0.02 * wash, y + 0.018, width * (1.5 - 0.15 * wash), 0.003);
          });
          fill(context, body, outline);
          fill(context, cover, lit);
        }
      },
    },
  ];
}

/** Returns a closed outline with rounded corners, as the sea wears rocks. */
function roundedPath(corners: readonly Point[]): Path2D {
  const path = new Path2D();
  const worn = 0.3;
  for (const [index, corner] of corners.entries()) {
    const before = corners.at(index - 1) ?? corner;
    const after = corners[(index + 1) % corners.length] ?? corner;
    const towards = (other: Point) => ({
      x: corner.x + worn * (other.x - corner.x),
      y: corner.y + worn * (other.y - corner.y),
    });
    const start = towards(before);
    const end = towards(after);
    if (index === 0) path.moveTo(start.x, start.y);
    else path.lineTo(start.x, start.y);
    path.quadraticCurveTo(corner.x, corner.y, end.x, end.y);
  }
  path.closePath();
  return path;
}
