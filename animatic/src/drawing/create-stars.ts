import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from './colour.ts';
import type { Layer } from './layer.ts';
import { addDisc, fill } from './paint.ts';
import type { Setting } from './setting.ts';

interface StarField {
  /** The number of stars per square unit. */
  perArea: number;
  /** How clear the night is, 0..1. */
  strength: number;
}

/** Most stars have the moon's colour (null), some are warm, some blue. Stars of one colour twinkle together. */
const tints = [null, null, colour(0.9, 0.07, 70), colour(0.88, 0.07, 255)] as const;

/** Creates twinkling stars: denser at the top than near the horizon, few of them bright, none in front of the moon. */
export function createStars({ stage, palette, dice, sun }: Setting, { perArea, strength }: StarField): Layer {
  const total = perArea * (stage.right - stage.left) * (stage.horizon - stage.top);
  const groups = tints.map((tint, index) => {
    const path = new Path2D();
    for (let star = 0; star < total / tints.length; star++) {
      const x = dice.between(stage.left, stage.right);
      const y = stage.top + (stage.horizon - stage.top) * dice.between(0, 1) ** 1.25;
      const radius = 0.0009 + 0.0026 * dice.between(0, 1) ** 6;
      if (Math.hypot(x - sun.x, y - sun.y) < 2 * sun.radius) continue;
      addStar(path, { x, y, radius });
    }
    return { path, tone: tint ? mix(palette.sun, tint, 0.8) : palette.sun, offset: index / tints.length };
  });
  return {
    depth: 0.01,
    draw(context, moment) {
      for (const { path, tone, offset } of groups)
        fill(context, css(tone, strength * (0.72 + 0.28 * moment.wave(0.4 + 0.4 * offset, offset))), path);
    },
  };
}

/** Adds a star. A large one has four points, as the eye sees it; a small one is only a dot. */
export function addStar(path: Path2D, { x, y, radius }: { x: number; y: number; radius: number }): void {
  if (radius < 0.0026) {
    path.rect(x - 0.8 * radius, y - 0.8 * radius, 1.6 * radius, 1.6 * radius);
    return;
  }
  const waist = radius * 0.5;
  path.moveTo(x, y - 3 * radius);
  for (const [tipX, tipY] of [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ] as const) {
    path.quadraticCurveTo(x, y, x + 3 * radius * tipX, y + 3 * radius * tipY);
  }
  addDisc(path, x, y, waist);
}
