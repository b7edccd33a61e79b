import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Paint } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { disc, fading, fill, fillGlow, linearGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const hullShape = 'M-.47 -.15C-.3 -.115 .2 -.1 .54 -.2C.5 -.1 .44 -.02 .36 .06L-.38 .06C-.43 0 -.46 -.08 -.47 -.15Z';

/** Creates the hull with its cabin, and a person at the tiller. */
export function createHull({ palette }: Setting): Paint {
  const hull = new Path2D(hullShape);
  // The rail and the stripe follow the sheer of the hull.
  const rail = new Path2D('M-.475 -.155C-.3 -.12 .2 -.105 .55 -.208L.535 -.178C.2 -.08 -.3 -.092 -.472 -.125Z');
  const waterLine = new Path2D('M-.45 -.028C-.1 -.016 .2 -.016 .46 -.04L.44 -.012C.2 .008 -.1 .008 -.435 -.002Z');
  const cabin = new Path2D('M-.2 -.11C-.19 -.16 -.17 -.185 -.13 -.187L.1 -.185C.15 -.18 .18 -.15 .21 -.11Z');
  const windows = new Path2D();
  for (const x of [-0.11, -0.02, 0.07]) windows.roundRect(x - 0.026, -0.168, 0.052, 0.026, 0.012);
  const sailor = new Path2D(
    'M-.37 -.11C-.375 -.2 -.36 -.235 -.325 -.235C-.29 -.235 -.275 -.2 -.255 -.17L-.235 -.165L-.24 -.15L-.275 -.15L-.28 -.1Z',
  );
  const head = new Path2D('M-.294 -.262A.027 .029 0 1 1 -.348 -.262A.027 .029 0 1 1 -.294 -.262Z');
  const hat = new Path2D('M-.356 -.272C-.35 -.305 -.3 -.305 -.292 -.277L-.27 -.27L-.292 -.266Z');
  const cream = palette.lit(colour(0.95, 0.025, 85));
  const body = palette.accent;
  const tones = {
    hull: css(body),
    under: css(mix(lighten(body, -0.13), palette.water, 0.15)),
    cream: css(cream),
    cabin: css(mix(cream, palette.rock, 0.22)),
    wood: css(palette.lit(colour(0.58, 0.09, 60))),
    window: css(palette.isDay ? palette.lit(colour(0.42, 0.05, 240)) : palette.lamp),
    coat: css(palette.lit(colour(0.82, 0.15, 88))),
    skin: css(palette.lit(colour(0.7, 0.07, 55))),
    hat: css(palette.ink),
  };
  return (context) => {
    fill(context, tones.coat, sailor);
    fill(context, tones.skin, head);
    fill(context, tones.hat, hat);
    fill(context, tones.cabin, cabin);
    fill(context, tones.window, windows);
    fill(context, linearGradient(context, [-0.45, 0.04, 0.3, -0.14], { 0: tones.under, 1: tones.hull }), hull);
    fill(context, tones.wood, rail);
    fill(context, tones.cream, waterLine);
  };
}

/** Draws the lantern at the stern, for when it is not day. */
export function drawLantern(context: SKRSContext2D, { palette }: Setting, moment: Moment): void {
  const reach = 0.26 * (1 + 0.05 * moment.wave(0.9));
  fillGlow(context, { x: -0.45, y: -0.27, radius: reach }, fading(palette.lamp, { 0: 0.8, 0.2: 0.3, 1: 0 }));
  fill(context, palette.lamp, disc(-0.45, -0.27, 0.022));
}
