import { Path2D, PathOp } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fading, fill, linearGradient, type Point } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createSprite } from '../../drawing/sprite.ts';

/** How far the rock continues below its base, behind the hills. */
const foot = 0.2;

interface Peak {
  x: number;
  y: number;
  halfWidth: number;
}

interface Range {
  depth: number;
  height: number;
  base: number;
  /** The x of its highest peak; without it, none stands out. */
  hero?: number | undefined;
}

/** Creates peaks side by side, each with a lit and a shaded face and a cap of snow. */
export function createRange(setting: Setting, { depth, height, base, hero }: Range): Layer {
  const { stage, palette, dice, sun } = setting;
  const step = height * 0.95;
  const peaks: Peak[] = [];
  for (let x = stage.left - step; x < stage.right + step; x += step * dice.between(0.55, 1.35)) {
    const tall = height * dice.between(0.4, 1);
    peaks.push({ x, y: base - tall, halfWidth: tall * dice.between(0.9, 1.45) });
  }
  if (hero !== undefined)
    peaks.push({ x: hero, y: base - height * dice.between(1.35, 1.7), halfWidth: height * dice.between(1.2, 1.5) });
  const rock = palette.far(mix(palette.rock, palette.land, 0.18), depth);
  const shade = mix(palette.far(lighten(palette.rock, -0.14), depth), palette.skyTop, 0.16);
  const cover = palette.far(palette.cover, depth + 0.55);
  // The highest come first, because lower ones are in front of them.
  const faces = peaks
    .sort((one, other) => one.y - other.y)
    .map((peak) => createFaces(peak, base, setting, dice, sun.x));
  const top = Math.min(...peaks.map(({ y }) => y)) - 0.01;
  const drawFaces = createSprite(
    setting.pixelsPerUnit,
    { left: stage.left, top, width: stage.right - stage.left, height: base + foot - top },
    (context) => {
      for (const { body, shaded, cap, capShaded } of faces) {
        fill(context, rock, body);
        fill(context, shade, shaded);
        fill(context, cover, cap);
        fill(context, mix(cover, shade, 0.55), capShaded);
      }
      // Mist fills the valleys and hides where the rock meets the next layer.
      const mistTop = base - height * 0.75;
      const stops = fading(palette.haze, { 0: 0, 1: 0.62 });
      context.fillStyle = linearGradient(context, [0, mistTop, 0, base + 0.02], stops);
      context.fillRect(stage.left, mistTop, stage.right - stage.left, base + foot - mistTop);
    },
  );
  return { depth, draw: drawFaces };
}

function createFaces({ x, y, halfWidth }: Peak, base: number, setting: Setting, dice: Dice, sunX: number) {
  const { palette } = setting;
  const left = slopeOf(dice, { x, y }, { x: x - halfWidth, y: base });
  const right = slopeOf(dice, { x, y }, { x: x + halfWidth, y: base });
  const body = pathOf([
    ...left.toReversed(),
    ...right.slice(1),
    { x: x + halfWidth, y: base + foot },
    { x: x - halfWidth, y: base + foot },
  ]);
  // The edge between the faces winds down towards the sun's side.
  const side = sunX < x ? right : left;
  const edge = slopeOf(dice, { x, y }, { x: x + halfWidth * dice.between(-0.2, 0.2), y: base }, 0.09);
  const shaded = pathOf([...side, ...edge.toReversed()]);

  const depthOfCap = (base - y) * Math.min(0.95, 0.2 + 0.6 * palette.coverAmount) * dice.between(0.8, 1.2);
  const within = (points: readonly Point[]) => points.filter((point) => point.y <= y + depthOfCap);
  const leftEnd = within(left).at(-1) ?? { x, y };
  const rightEnd = within(right).at(-1) ?? { x, y };
  const teeth = Array.from({ length: 7 }, (_, index) => ({
    x: rightEnd.x + ((leftEnd.x - rightEnd.x) * (index + 1)) / 8,
    y: y + depthOfCap * (index % 2 === 0 ? dice.between(1, 1.35) : dice.between(0.6, 0.85)),
  }));
  const cap = pathOf([{ x, y }, ...within(right), ...teeth, ...within(left).toReversed()]);
  return { body, shaded, cap, capShaded: new Path2D(cap).op(shaded, PathOp.Intersect) };
}

/** Returns a rough line from a top down to a foot. */
function slopeOf(dice: Dice, top: Point, foot: Point, roughness = 0.05): Point[] {
  const steps = 9;
  const drop = foot.y - top.y;
  return Array.from({ length: steps + 1 }, (_, index) => {
    const along = index / steps;
    // The slope is steeper above than below, as rock is.
    const out = along ** 0.85;
    const jitter = index === 0 || index === steps ? 0 : dice.between(-roughness, roughness) * drop;
    return { x: top.x + (foot.x - top.x) * out + jitter, y: top.y + drop * along };
  });
}

function pathOf(points: readonly Point[]): Path2D {
  const path = new Path2D();
  for (const { x, y } of points) path.lineTo(x, y);
  path.closePath();
  return path;
}
