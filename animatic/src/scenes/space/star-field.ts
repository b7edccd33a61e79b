import { Path2D } from '@napi-rs/canvas';
import { css, mix } from '../../drawing/colour.ts';
import { addStar } from '../../drawing/create-stars.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fading, fill, linearGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Field {
  depth: number;
  /** The number of stars per square unit. */
  density: number;
  /** The radius of the largest star, in units. */
  radius: number;
}

const twinkles = 3;

/** Creates stars at one distance that twinkle in groups, a few of them in cold and warm colours. */
export function createStarField({ stage, palette, dice }: Setting, { depth, density, radius }: Field): Layer {
  const area = (stage.right - stage.left) * (stage.bottom - stage.top);
  const groups = Array.from({ length: twinkles }, (_, group) => {
    const path = new Path2D();
    for (let star = 0; star < (density * area) / twinkles; star++) {
      const x = dice.between(stage.left, stage.right);
      const y = dice.between(stage.top, stage.bottom);
      addStar(path, { x, y, radius: radius * (0.3 + 0.7 * dice.between(0, 1) ** 3) });
    }
    const tint = [palette.sun, mix(palette.sun, palette.skyMiddle, 0.4), mix(palette.sun, palette.glow, 0.5)][group];
    return { path, tone: { ...(tint ?? palette.sun), lightness: 0.95 } };
  });
  return {
    depth,
    draw(context, moment) {
      for (const [index, { path, tone }] of groups.entries())
        fill(context, css(tone, 0.72 + 0.28 * moment.wave(0.4 + 0.2 * index, index / twinkles + depth * 3)), path);
    },
  };
}

/** Creates a streak that crosses the upper sky in a tenth of its cycle, and is invisible for the rest. */
export function createShootingStar({ stage, palette, dice }: Setting): Layer {
  const side = dice.sign();
  const from = { x: stage.width * (0.5 - side * dice.between(0.05, 0.4)), y: stage.height * dice.between(0.06, 0.2) };
  const start = dice.between(0.15, 0.75);
  const length = 0.2;
  return {
    depth: 0.05,
    draw(context, moment) {
      const progress = (moment.turn(0.2) - start) / 0.11;
      if (progress < 0 || progress > 1) return;
      const fade = Math.sin(Math.PI * progress);
      context.translate(from.x + side * 0.55 * progress, from.y + 0.22 * progress);
      context.rotate(Math.atan2(0.22, side * 0.55));
      fill(context, linearGradient(context, [-length, 0, 0, 0], fading(palette.sun, { 0: 0, 1: 0.95 * fade })), () => {
        context.moveTo(-length, 0);
        context.lineTo(-0.004, -0.0024);
        context.arc(-0.002, 0, 0.0026, -Math.PI / 2, Math.PI / 2);
        context.closePath();
      });
    },
  };
}
