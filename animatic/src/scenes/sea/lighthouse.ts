import { Path2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Place {
  x: number;
  y: number;
  height: number;
  depth: number;
}

const turnsPerSecond = 0.2;

/** Creates a lighthouse with a coloured band; its lamp turns unless it is day. */
export function createLighthouse({ palette, sun }: Setting, { x, y, height, depth }: Place): Layer {
  const tower = new Path2D('M-.085 0L-.058 -.74L.058 -.74L.085 0Z');
  const band = new Path2D('M-.076 -.24L-.068 -.47L.068 -.47L.076 -.24Z');
  const shade = new Path2D('M.01 0L.008 -.74L.058 -.74L.085 0Z');
  const gallery = new Path2D('M-.09 -.73L.09 -.73L.09 -.765L-.09 -.765ZM-.055 -.9L0 -1L.055 -.9Z');
  const lamp = new Path2D('M-.042 -.765L-.042 -.9L.042 -.9L.042 -.765Z');
  const house = new Path2D('M.08 0L.08 -.16L.18 -.24L.28 -.16L.28 0Z');
  const air = 0.72;
  const wall = palette.far(palette.lit(colour(0.95, 0.015, 85)), air);
  const red = css(palette.far(palette.lit(colour(0.58, 0.17, 30)), air));
  const dark = css(palette.far(lighten(palette.ink, 0.06), air));
  const shadow = css(mix(palette.skyTop, palette.ink, 0.4), 0.22);
  const glass = palette.isDay ? dark : css(palette.lamp);
  // The shaded side is the one away from the sun.
  const side = sun.x < x ? 1 : -1;
  return {
    depth,
    draw(context, moment) {
      context.translate(x, y);
      context.scale(side * height, height);
      context.fillStyle = css(wall);
      context.fill(tower);
      context.fill(house);
      context.fillStyle = red;
      context.fill(band);
      context.fillStyle = shadow;
      context.fill(shade);
      context.fillStyle = dark;
      context.fill(gallery);
      context.fillStyle = glass;
      context.fill(lamp);
      if (palette.isDay) return;
      const angle = 2 * Math.PI * moment.turn(turnsPerSecond);
      context.translate(0, -0.83);
      for (const way of [1, -1]) {
        // The turning beam looks long when it points sideways, and short when it points at the viewer.
        const reach = way * Math.cos(angle) * 5.2;
        const strength = 0.1 + 0.3 * Math.abs(Math.cos(angle)) ** 0.7;
        const beam = context.createLinearGradient(0, 0, reach, 0);
        beam.addColorStop(0, css(palette.lamp, strength * 1.6));
        beam.addColorStop(0.25, css(palette.lamp, strength * 0.6));
        beam.addColorStop(1, css(palette.lamp, 0));
        context.fillStyle = beam;
        context.beginPath();
        context.moveTo(0, -0.03);
        context.lineTo(reach, -0.42);
        context.lineTo(reach, 0.22);
        context.lineTo(0, 0.03);
        context.fill();
      }
      const flash = 0.5 + 0.9 * Math.abs(Math.sin(angle)) ** 8;
      const glow = context.createRadialGradient(0, 0, 0, 0, 0, flash);
      glow.addColorStop(0, css(palette.lamp, 0.9));
      glow.addColorStop(0.2, css(palette.lamp, 0.35));
      glow.addColorStop(1, css(palette.lamp, 0));
      context.fillStyle = glow;
      context.fillRect(-flash, -flash, 2 * flash, 2 * flash);
    },
  };
}
