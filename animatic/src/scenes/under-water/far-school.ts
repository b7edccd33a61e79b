import { css, lighten } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Depths } from './depths.ts';

/** Creates many small fish far away that turn together, no more than shapes in the blue. */
export function createFarSchool({ stage, dice, sun }: Setting, { middle, through }: Depths): Layer {
  const side = sun.x < stage.width / 2 ? -1 : 1;
  const centre = {
    x: stage.width * (0.5 + side * dice.between(0.16, 0.3)),
    y: stage.height * dice.between(0.24, 0.36),
  };
  const members = Array.from({ length: Math.round(dice.between(16, 28)) }, () => {
    const angle = dice.between(0, 2 * Math.PI);
    const out = Math.sqrt(dice.between(0, 1));
    return {
      x: 0.2 * out * Math.cos(angle),
      y: 0.075 * out * Math.sin(angle) * stage.height,
      length: dice.between(0.016, 0.028),
      beat: dice.between(0, 1),
    };
  });
  const tone = css(through(lighten(middle, -0.16), 0.7));
  const way = dice.sign();
  return {
    depth: 0.3,
    draw(context, moment) {
      context.translate(centre.x + 0.06 * moment.wave(0.2), centre.y + 0.02 * moment.wave(0.2, 0.25));
      context.scale(way, 1);
      fill(context, tone, () => {
        for (const { x, y, length, beat } of members) {
          const at = { x: x + 0.012 * moment.wave(0.4, beat), y: y + 0.008 * moment.wave(0.4, beat + 0.3) };
          const flick = 0.22 * length * moment.wave(1.6, beat);
          context.moveTo(at.x + length / 2, at.y);
          context.quadraticCurveTo(at.x, at.y - 0.36 * length, at.x - 0.38 * length, at.y);
          context.lineTo(at.x - 0.6 * length, at.y - 0.2 * length + flick);
          context.lineTo(at.x - 0.56 * length, at.y + 0.2 * length + flick);
          context.lineTo(at.x - 0.38 * length, at.y);
          context.quadraticCurveTo(at.x, at.y + 0.36 * length, at.x + length / 2, at.y);
        }
      });
    },
  };
}
