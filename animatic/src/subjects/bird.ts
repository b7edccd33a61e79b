import type { SKRSContext2D } from '@napi-rs/canvas';
import { colour, mix } from '../drawing/colour.ts';
import type { Moment } from '../drawing/moment.ts';
import { disc, drawAt, ellipse, fill } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { type BirdShape, type BirdTones, drawWing, wingsAt } from './bird/wings.ts';
import type { Subject } from './subject.ts';

/** A flying bird, and a few others further away. Its length is from beak to tail. */
export const bird: Subject = {
  place: 'air',
  length: 0.15,
  speed: 0.35,
  create(setting) {
    const { palette, dice, storyboard } = setting;
    const isGull = storyboard.scene === 'sea';
    const tones = isGull ? gullTones(setting) : raptorTones(setting);
    const shape: BirdShape = { isGull, span: isGull ? 1.0 : 0.95, fingers: isGull ? 0 : 4 };
    const companions = Array.from({ length: dice.pick([0, 2, 3]) }, (_, index) => ({
      x: -dice.between(0.8, 1.6) - 1.1 * index,
      y: dice.between(-1.6, 0.9),
      size: dice.between(0.22, 0.4),
      offset: dice.between(0, 1),
    }));
    const farTones = (size: number): BirdTones => ({
      body: palette.far(tones.body, size + 0.25),
      shade: palette.far(tones.shade, size + 0.25),
      tip: palette.far(tones.tip, size + 0.25),
      beak: palette.far(tones.beak, size + 0.25),
      head: palette.far(tones.head, size + 0.25),
    });
    const others = companions.map((companion) => ({ ...companion, tones: farTones(companion.size) }));
    return (context, moment) => {
      for (const { x, y, size, offset, tones: own } of others) {
        const place = { x: x + 0.1 * moment.wave(0.2, offset), y: y + 0.08 * moment.wave(0.3, offset), scale: size };
        drawAt(context, place, () => drawBird(context, { shape, tones: own, moment, offset }));
      }
      drawBird(context, { shape, tones, moment, offset: 0 });
    };
  },
};

function gullTones({ palette }: Setting): BirdTones {
  const white = palette.lit(colour(0.96, 0.01, 90));
  return {
    body: white,
    shade: mix(white, palette.skyTop, 0.35),
    tip: palette.ink,
    beak: palette.accent,
    head: white,
  };
}

function raptorTones({ palette }: Setting): BirdTones {
  const brown = mix(palette.ink, palette.lit(colour(0.38, 0.06, 50)), 0.5);
  return {
    body: brown,
    shade: mix(brown, palette.ink, 0.55),
    tip: mix(palette.accent, brown, 0.2),
    beak: palette.lit(colour(0.8, 0.14, 80)),
    head: mix(palette.accent, palette.lit(colour(0.95, 0.02, 80)), 0.5),
  };
}

function drawBird(
  context: SKRSContext2D,
  { shape, tones, moment, offset }: { shape: BirdShape; tones: BirdTones; moment: Moment; offset: number },
): void {
  const pose = wingsAt(moment, offset);
  context.translate(0, 0.07 * pose.lift);
  context.rotate(-0.06 - 0.03 * pose.lift);
  drawWing(context, { shape, tones, pose, side: -1 });
  drawBody(context, tones, shape);
  drawWing(context, { shape, tones, pose, side: 1 });
}

function drawBody(context: SKRSContext2D, tones: BirdTones, { isGull }: BirdShape): void {
  fill(context, tones.body, () => {
    context.moveTo(0.44, -0.02);
    context.bezierCurveTo(0.36, -0.12, 0.24, -0.1, 0.12, -0.1);
    context.bezierCurveTo(-0.1, -0.1, -0.22, -0.04, -0.34, -0.02);
    context.lineTo(-0.56, isGull ? -0.05 : -0.09);
    context.quadraticCurveTo(-0.6, 0, -0.58, isGull ? 0.05 : 0.09);
    context.lineTo(-0.32, 0.055);
    context.bezierCurveTo(-0.1, 0.12, 0.2, 0.12, 0.36, 0.05);
    context.closePath();
  });
  fill(context, tones.head, ellipse(0.355, -0.03, 0.095, 0.066, 0.12));
  fill(context, tones.beak, () => {
    context.moveTo(0.425, -0.07);
    context.quadraticCurveTo(0.52, -0.055, 0.53, 0.014);
    context.quadraticCurveTo(0.48, -0.005, 0.43, 0.005);
  });
  fill(context, 'rgba(15, 12, 20, 0.85)', disc(0.39, -0.048, 0.013));
  fill(context, tones.shade, () => {
    context.moveTo(-0.32, 0.055);
    context.bezierCurveTo(-0.1, 0.12, 0.2, 0.12, 0.36, 0.05);
    context.bezierCurveTo(0.2, 0.08, -0.1, 0.08, -0.32, 0.055);
  });
}
