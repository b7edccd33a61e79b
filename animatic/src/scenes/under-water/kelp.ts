import type { SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import type { Point } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Depths } from './depths.ts';

interface Field {
  depth: number;
  floor: number;
  height: number;
  /** The number of plants per unit of width. */
  density: number;
}

interface Stem {
  x: number;
  height: number;
  leaf: number;
  beat: number;
  lean: number;
  joints: number;
}

/** Creates long weed that sways: every leaf follows the one below it, a little later. */
export function createKelp(
  setting: Setting,
  { through, lit }: Depths,
  { depth, floor, height, density }: Field,
): Layer {
  const { stage, palette, dice } = setting;
  const scroll = createScroll(setting, depth, stage.width);
  const clusters = Math.max(2, Math.round(density * scroll.length));
  const stems = Array.from({ length: clusters }, (_, cluster): Stem[] => {
    const place = (scroll.length * (cluster + dice.between(0.2, 0.8))) / clusters;
    return Array.from({ length: Math.round(dice.between(2, 4)) }, (_unused, index) => {
      const tall = height * dice.between(0.45, 1);
      const leaf = (0.03 + 0.045 * depth) * dice.between(0.8, 1.15);
      return {
        x: place + 0.06 * depth * (index - 1) * dice.between(0.7, 1.3),
        height: tall,
        leaf,
        beat: 0.23 * cluster + 0.06 * index,
        lean: dice.between(-0.12, 0.12),
        joints: Math.round(Math.min(14, Math.max(6, (0.95 * tall) / leaf))),
      };
    });
  }).flat();
  const green = mix(lit(colour(0.58, 0.13, 155)), palette.foliage, 0.2);
  const near = depth > 1 ? mix(green, palette.ink, 0.7) : green;
  const tones = [css(through(lighten(near, -0.06), depth)), css(through(lighten(near, 0.04), depth))];
  return {
    depth,
    draw(context, moment) {
      scroll.draw(context, moment, () => {
        context.lineCap = 'round';
        context.lineWidth = 0.004 + 0.005 * depth;
        for (const [side, tone] of tones.entries()) {
          context.fillStyle = tone;
          context.strokeStyle = tone;
          context.beginPath();
          for (const stem of stems) addLeaves(context, moment, stem, { floor, side: side === 0 ? -1 : 1 });
          context.fill();
          if (side > 0) continue;
          context.beginPath();
          for (const stem of stems) addStem(context, moment, stem, floor);
          context.stroke();
        }
      });
    },
  };
}

function pointOf(moment: Moment, { x, height, beat, lean }: Stem, floor: number, along: number): Point {
  const sway =
    0.13 * along ** 1.4 * moment.wave(0.2, beat - 0.4 * along) + 0.03 * along * moment.wave(0.4, beat - 0.9 * along);
  return { x: x + height * (sway + lean * along * along), y: floor - height * along };
}

function addStem(context: SKRSContext2D, moment: Moment, stem: Stem, floor: number): void {
  context.moveTo(stem.x, floor + 0.05);
  for (let joint = 1; joint <= stem.joints; joint++) {
    const { x, y } = pointOf(moment, stem, floor, joint / stem.joints);
    context.lineTo(x, y);
  }
}

/** Adds the leaves on one side of a stem: long drops that point up and outwards. */
function addLeaves(
  context: SKRSContext2D,
  moment: Moment,
  stem: Stem,
  { floor, side }: { floor: number; side: number },
): void {
  for (let joint = side === 1 ? 1 : 1.5; joint <= stem.joints; joint++) {
    const along = joint / stem.joints;
    const { x, y } = pointOf(moment, stem, floor, along);
    const length = stem.leaf * (1.25 - 0.6 * along);
    const flutter = 0.25 * moment.wave(0.4, stem.beat - along);
    const angle = side * (0.75 - 0.35 * along) + flutter;
    const tip = { x: x + length * Math.sin(angle), y: y - length * Math.cos(angle) };
    const wide = 0.26 * length;
    const out = { x: Math.cos(angle) * wide, y: Math.sin(angle) * wide };
    const middle = { x: (x + tip.x) / 2, y: (y + tip.y) / 2 };
    context.moveTo(x, y);
    context.quadraticCurveTo(middle.x + out.x, middle.y + out.y, tip.x, tip.y);
    context.quadraticCurveTo(middle.x - out.x, middle.y - out.y, x, y);
  }
}
