import { Path2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import { addFir } from '../../drawing/firs.ts';
import type { Draw } from '../../drawing/layer.ts';
import { ellipse, fill, fillRect, roundRect } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates the load on the car's roof: suitcases, a surfboard by the sea, or a fir in winter. */
export function createRoofLoad({ palette, storyboard, dice }: Setting): Draw {
  const load =
    storyboard.season === 'winter'
      ? 'fir'
      : storyboard.scene === 'sea'
        ? 'board'
        : dice.pick(['cases', 'cases', 'board', 'nothing']);
  if (load === 'nothing') return () => undefined;
  const rack = css(mix(palette.ink, palette.skyMiddle, 0.35));
  const fir = new Path2D();
  addFir(fir, 0, 0, 0.56);
  const leather = palette.lit(colour(0.52, 0.09, 50));
  const canvas = palette.lit(colour(0.62, 0.06, 190));
  const board = css(mix(palette.lit(colour(0.92, 0.04, 90)), palette.accent, 0.1));
  return (context, moment) => {
    context.save();
    // The load is tied down loosely, so it shakes.
    context.translate(0, 0.003 * moment.wave(2.3, 0.15));
    fillRect(context, rack, -0.2, -0.495, 0.27, 0.008);
    for (const x of [-0.18, -0.06, 0.05]) fillRect(context, rack, x, -0.495, 0.008, 0.035);
    if (load === 'fir') {
      context.translate(0.17, -0.525);
      context.rotate(-Math.PI / 2 - 0.05);
      fill(context, mix(palette.lit(colour(0.5, 0.1, 150)), palette.ink, 0.1), fir);
    } else if (load === 'board') {
      fill(context, board, ellipse(-0.06, -0.515, 0.36, 0.022, -0.02));
      fillRect(context, palette.accent, -0.3, -0.52, 0.48, 0.008);
    } else {
      for (const [x, width, height, tone] of [
        [-0.19, 0.15, 0.1, leather],
        [-0.03, 0.1, 0.075, canvas],
      ] as const) {
        fill(context, tone, roundRect(x, -0.495 - height, width, height, 0.014));
        fillRect(context, lighten(tone, -0.12), x + width * 0.2, -0.495 - height, width * 0.09, height);
        fillRect(context, lighten(tone, -0.12), x + width * 0.7, -0.495 - height, width * 0.09, height);
      }
    }
    context.restore();
  };
}
