import { Path2D } from '@napi-rs/canvas';
import { css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates two or three other boats, far out. */
export function createFarSails({ stage, palette, dice, sun }: Setting): Layer[] {
  const path = new Path2D();
  for (let count = 0; count < 3; count++) {
    const x = stage.width * dice.between(0.08, 0.92);
    if (Math.abs(x - sun.x) < 0.08) continue;
    const height = dice.between(0.028, 0.048);
    const y = stage.horizon + 0.003;
    const way = dice.sign();
    path.moveTo(x, y - height);
    path.quadraticCurveTo(x - way * 0.3 * height, y - 0.6 * height, x - way * 0.4 * height, y - 0.16 * height);
    path.lineTo(x, y - 0.16 * height);
    path.moveTo(x + way * 0.04 * height, y - 0.9 * height);
    path.lineTo(x + way * 0.36 * height, y - 0.16 * height);
    path.lineTo(x + way * 0.04 * height, y - 0.16 * height);
    path.moveTo(x - way * 0.4 * height, y - 0.12 * height);
    path.lineTo(x + way * 0.45 * height, y - 0.12 * height);
    path.lineTo(x + way * 0.3 * height, y + 0.02);
    path.lineTo(x - way * 0.32 * height, y + 0.02);
  }
  const tone = css(
    palette.far(palette.isDay ? palette.cover : mix(palette.rock, palette.ink, 0.3), palette.isDay ? 0.85 : 0.6),
  );
  return [
    {
      depth: 0.11,
      draw(context, moment) {
        context.translate(0, 0.0015 * moment.wave(0.25));
        fill(context, tone, path);
      },
    },
  ];
}
