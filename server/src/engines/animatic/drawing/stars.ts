import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from './colour.ts';
import type { Layer } from './layer.ts';
import type { Setting } from './setting.ts';

interface StarField {
  /** How many in a square of one unit. */
  perArea: number;
  /** 0..1: how clear the night is. */
  strength: number;
  /** Down to where, in units; otherwise the horizon. */
  bottom?: number | undefined;
}

/** Stars are not all white: most are the moon's colour, some warm, some blue. Each colour twinkles together. */
const tints = [null, null, colour(0.9, 0.07, 70), colour(0.88, 0.07, 255)] as const;

/** Stars that twinkle: thicker above than near the horizon, few of them bright, none before the moon. */
export function createStars(
  { stage, palette, dice, sun }: Setting,
  { perArea, strength, bottom = stage.horizon }: StarField,
): Layer {
  const total = perArea * (stage.right - stage.left) * (bottom - stage.top);
  const groups = tints.map((tint, index) => {
    const path = new Path2D();
    for (let star = 0; star < total / tints.length; star++) {
      const x = dice.between(stage.left, stage.right);
      const y = stage.top + (bottom - stage.top) * dice.between(0, 1) ** 1.25;
      const radius = 0.0009 + 0.0026 * dice.between(0, 1) ** 6;
      if (Math.hypot(x - sun.x, y - sun.y) < 2 * sun.radius) continue;
      if (radius > 0.0029) addSparkle(path, x, y, radius * 2.6);
      path.moveTo(x + radius, y);
      path.arc(x, y, radius, 0, 2 * Math.PI);
    }
    return { path, tone: tint ? mix(palette.sun, tint, 0.8) : palette.sun, offset: index / tints.length };
  });
  return {
    depth: 0.01,
    draw(context, moment) {
      for (const { path, tone, offset } of groups) {
        context.fillStyle = css(tone, strength * (0.72 + 0.28 * moment.wave(0.4 + 0.4 * offset, offset)));
        context.fill(path);
      }
    },
  };
}

/** Four thin points, as an eye sees a bright star. */
function addSparkle(path: Path2D, x: number, y: number, reach: number): void {
  const waist = reach * 0.12;
  path.moveTo(x, y - reach);
  path.lineTo(x + waist, y - waist);
  path.lineTo(x + reach, y);
  path.lineTo(x + waist, y + waist);
  path.lineTo(x, y + reach);
  path.lineTo(x - waist, y + waist);
  path.lineTo(x - reach, y);
  path.lineTo(x - waist, y - waist);
  path.closePath();
}
