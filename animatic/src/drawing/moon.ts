import { Path2D } from '@napi-rs/canvas';
import { css, mix, saturate } from './colour.ts';
import type { Layer } from './layer.ts';
import { fill } from './paint.ts';
import type { Setting } from './setting.ts';

/** The seas of the moon, on a disc of radius 1: x, y, width and height. */
const seas = [
  [-0.3, -0.38, 0.34, 0.27],
  [0.2, -0.34, 0.25, 0.22],
  [0.42, -0.02, 0.26, 0.22],
  [-0.48, 0.06, 0.26, 0.36],
  [-0.12, 0.42, 0.24, 0.17],
  [0.66, -0.34, 0.12, 0.15],
] as const;

/** Creates the moon with its seas, full or as a crescent. */
export function createMoon({ palette, sun, dice }: Setting): Layer {
  // The edge of the shadow across the disc: −1 is all lit, 1 is all dark.
  const shadow = dice.pick([-1, -1, 0.35, 0.55]);
  const tilt = dice.between(-0.55, 0.55);
  const side = dice.sign();
  const lit = litOf(shadow);
  const dark = discOf();
  const maria = mariaOf();
  const strength = Math.min(1, 1.2 * palette.sunStrength);
  const disc = css(palette.sun, strength);
  const sea = css(saturate(mix(palette.sun, palette.glow, 0.85), 0.6), 0.36 * strength);
  const earthshine = css(palette.glow, 0.1 * strength);
  return {
    depth: 0.02,
    draw(context) {
      context.translate(sun.x, sun.y);
      context.rotate(tilt);
      context.scale(side * sun.radius, sun.radius);
      fill(context, earthshine, dark);
      fill(context, disc, lit);
      context.clip(lit);
      fill(context, sea, maria);
    },
  };
}

function litOf(shadow: number): Path2D {
  const path = new Path2D();
  path.arc(0, 0, 1, -Math.PI / 2, Math.PI / 2);
  path.ellipse(0, 0, Math.abs(shadow), 1, 0, Math.PI / 2, -Math.PI / 2, shadow > 0);
  return path;
}

function discOf(): Path2D {
  const path = new Path2D();
  path.arc(0, 0, 1, 0, 2 * Math.PI);
  return path;
}

function mariaOf(): Path2D {
  const path = new Path2D();
  for (const [x, y, width, height] of seas) {
    path.moveTo(x + width, y);
    path.ellipse(x, y, width, height, 0, 0, 2 * Math.PI);
  }
  return path;
}
