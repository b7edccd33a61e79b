import { css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates a few gulls over the water, so far away that only their wings show. */
export function createGulls({ stage, palette, dice, sun }: Setting): Layer[] {
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const centre = {
    x: stage.width * (0.5 + side * dice.between(0.05, 0.25)),
    y: stage.horizon - dice.between(0.16, 0.3),
  };
  const gulls = Array.from({ length: Math.round(dice.between(3, 5)) }, () => ({
    x: centre.x + dice.between(-0.18, 0.18),
    y: centre.y + dice.between(-0.08, 0.08),
    size: dice.between(0.009, 0.019),
    beat: dice.between(0, 1),
  }));
  const tone = css(palette.far(mix(palette.ink, palette.rock, 0.3), palette.isDay ? 0.5 : 0.7));
  return [
    {
      depth: 0.18,
      draw(context, moment) {
        fill(context, tone, () => {
          for (const { x, y, size, beat } of gulls) {
            const at = { x: x + 0.05 * moment.wave(0.2, beat), y: y + 0.015 * moment.wave(0.2, beat + 0.3) };
            // They beat their wings for a while and then glide.
            const lift = size * (0.25 + 0.4 * moment.wave(1.4, beat) * Math.max(0, moment.wave(0.2, beat + 0.1)));
            for (const way of [-1, 1]) {
              context.moveTo(at.x, at.y);
              context.quadraticCurveTo(
                at.x + way * 0.5 * size,
                at.y - lift - 0.3 * size,
                at.x + way * 1.3 * size,
                at.y - 0.5 * lift + 0.1 * size,
              );
              context.quadraticCurveTo(at.x + way * 0.5 * size, at.y - lift + 0.02 * size, at.x, at.y + 0.2 * size);
            }
          }
        });
      },
    },
  ];
}
