import { Path2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { fill, linearGradient, stroke, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const mastX = 0.07;
const mastTop = -1.18;

/** Creates the mast, boom, sails and pennant. They lean a little later than the hull, because the wind holds them. */
export function createRig({ palette, dice, storyboard }: Setting): Draw {
  const beat = dice.between(0, 1);
  const isAccentJib = storyboard.colours.length > 0 || dice.chance(0.5);
  // Sails are thin: a low sun shines through them, and even the moon makes them pale.
  const shineThrough = palette.isDay ? 0.06 : palette.isNight ? 0.3 : 0.42;
  const canvas = palette.lit(colour(0.96, 0.028, 85));
  const bright = css(mix(canvas, palette.glow, shineThrough));
  const shaded = css(mix(mix(canvas, palette.glow, shineThrough / 3), palette.skyMiddle, 0.32));
  const accent = css(mix(palette.accent, palette.glow, shineThrough / 4));
  const accentShaded = css(mix(lighten(palette.accent, -0.08), palette.skyMiddle, 0.16));
  const seam = css(mix(canvas, palette.rock, 0.6), 0.5);
  const spar = css(mix(palette.ink, palette.lit(colour(0.5, 0.08, 55)), 0.4));
  return (context, moment) => {
    context.save();
    context.rotate(0.014 * moment.wave(0.3, beat));
    const fullness = 1 + 0.16 * moment.wave(0.3, beat + 0.3) + 0.04 * moment.wave(0.9, beat);
    const jib = new Path2D();
    jib.moveTo(0.52, -0.2);
    jib.quadraticCurveTo(0.36 + 0.03 * fullness, -0.62, mastX + 0.025, -1.06);
    jib.bezierCurveTo(mastX + 0.05 + 0.07 * fullness, -0.72, 0.02 + 0.08 * fullness, -0.42, -0.01, -0.25);
    jib.bezierCurveTo(0.14, -0.2 + 0.03 * fullness, 0.36, -0.17 + 0.02 * fullness, 0.52, -0.2);
    const main = new Path2D();
    main.moveTo(mastX - 0.014, -1.13);
    main.bezierCurveTo(-0.1 - 0.12 * fullness, -0.92, -0.3 - 0.12 * fullness, -0.58, -0.46, -0.27);
    main.bezierCurveTo(-0.3, -0.26 + 0.05 * fullness, -0.12, -0.25 + 0.04 * fullness, mastX - 0.014, -0.27);
    main.closePath();

    context.lineCap = 'round';
    stroke(context, spar, 0.02, () => {
      context.moveTo(mastX, -0.13);
      context.lineTo(mastX, mastTop);
      context.moveTo(mastX, -0.24);
      context.lineTo(-0.46, -0.262);
    });

    fill(context, linearGradient(context, [-0.5, -0.4, mastX, -0.62], { 0: shaded, 0.62: bright, 1: bright }), main);
    stroke(context, seam, 0.006, () => {
      for (const [y, reach] of [
        [-0.5, 0.39],
        [-0.74, 0.26],
        [-0.95, 0.13],
      ] as const) {
        context.moveTo(mastX - 0.02, y);
        context.quadraticCurveTo(
          mastX - reach / 2,
          y + 0.05 * fullness,
          mastX - reach * (0.98 + 0.12 * (fullness - 1)),
          y + 0.03,
        );
      }
    });
    if (!isAccentJib) {
      // Without a coloured jib, the mainsail has a coloured stripe.
      within(context, main, () => {
        fill(context, accent, () => {
          context.moveTo(0.1, -0.5);
          context.quadraticCurveTo(-0.2, -0.42 + 0.03 * fullness, -0.5, -0.44);
          context.lineTo(-0.5, -0.56);
          context.quadraticCurveTo(-0.2, -0.54 + 0.03 * fullness, 0.1, -0.62);
        });
      });
    }
    context.fillStyle = linearGradient(context, [0, -0.3, 0.36, -0.45], {
      0: isAccentJib ? accentShaded : shaded,
      1: isAccentJib ? accent : bright,
    });
    context.fill(jib);

    fill(context, palette.accent, () => {
      context.moveTo(mastX, mastTop);
      const tip = { x: mastX - 0.2, y: mastTop + 0.03 + 0.018 * moment.wave(1.6, -0.35) };
      context.quadraticCurveTo(mastX - 0.1, mastTop + 0.035 * moment.wave(1.6), tip.x, tip.y);
      context.quadraticCurveTo(mastX - 0.1, mastTop + 0.06 + 0.035 * moment.wave(1.6), mastX, mastTop + 0.07);
    });
    context.restore();
  };
}
