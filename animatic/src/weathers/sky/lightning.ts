import { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { colour, css } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fraction, type Moment } from '../../drawing/moment.ts';
import { addLineThrough, fillRect, type Point, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** One stroke of lightning: where it is, how bright it is at an instant, and its layers. */
export interface Lightning {
  x: number;
  /** 0..1. */
  strengthAt(moment: Moment): number;
  layers: Layer[];
}

/** The colours of lightning, which do not depend on the time of day. */
const core = colour(0.99, 0.02, 280);
const glow = colour(0.84, 0.08, 285);

/** Creates a bolt with branches down to the horizon, half a second long. `at` is its place in the video, 0..1. */
export function createLightning(setting: Setting, { at, x, top }: { at: number; x: number; top: number }): Lightning {
  const { stage, dice, seconds } = setting;
  const trunk = new Path2D();
  const branches = new Path2D();
  addBolt({ trunk, branches, dice }, { x, y: top }, { x: x + dice.between(-0.12, 0.12), y: stage.horizon + 0.03 });
  const strengthAt = (moment: Moment) => brightnessAfter(fraction(moment.phase - at) * seconds);
  const bolt: Layer = {
    depth: 0.065,
    draw(context, moment) {
      const strength = strengthAt(moment);
      if (strength < 0.06) return;
      context.lineJoin = 'round';
      context.lineCap = 'round';
      for (const [width, alpha] of [
        [0.05, 0.1],
        [0.02, 0.22],
        [0.0055, 1],
      ] as const) {
        stroke(context, css(width > 0.01 ? glow : core, Math.min(1, 1.3 * strength) * alpha), width, trunk);
        context.lineWidth = width * 0.5;
        context.stroke(branches);
      }
    },
  };
  const light: Layer = {
    depth: 1.79,
    draw(context, moment) {
      const strength = strengthAt(moment);
      if (strength < 0.02) return;
      fillRect(context, css(glow, 0.2 * strength), stage.left - 1, stage.top - 1, stage.width + 3, stage.height + 3);
    },
  };
  return { x, strengthAt, layers: [bolt, light] };
}

/** Returns the brightness over time: a first flash, a stronger second one, and an afterglow. */
function brightnessAfter(time: number): number {
  if (time > 0.9) return 0;
  const first = 0.7 * Math.exp(-time / 0.05);
  const second = time < 0.13 ? 0 : Math.exp(-(time - 0.13) / 0.12);
  return Math.min(1, first + second);
}

interface Drawn {
  trunk: Path2D;
  branches: Path2D;
  dice: Dice;
}

function addBolt({ trunk, branches, dice }: Drawn, from: Point, to: Point): void {
  const points = jag(dice, from, to, 16, 0.03);
  addLineThrough(trunk, points);
  for (const [index, point] of points.entries()) {
    if (index < 3 || index > 12 || !dice.chance(0.42)) continue;
    const side = dice.sign();
    const reach = dice.between(0.06, 0.17);
    const end = { x: point.x + side * reach, y: point.y + reach * dice.between(0.6, 1.3) };
    addLineThrough(branches, jag(dice, point, end, 6, 0.014));
  }
}

/** Returns a jagged line that strays and returns to its course. */
function jag(dice: Dice, from: Point, to: Point, steps: number, aside: number): Point[] {
  return Array.from({ length: steps + 1 }, (_, index) => {
    const along = index / steps;
    const free = index === 0 || index === steps ? 0 : aside;
    return {
      x: from.x + (to.x - from.x) * along + dice.between(-free, free),
      y: from.y + (to.y - from.y) * along + 0.4 * dice.between(-free, free),
    };
  });
}
