import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { fading, fill, fillGlow, linearGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Place {
  x: number;
  y: number;
  height: number;
  depth: number;
}

const turnsPerSecond = 0.2;

/** The tower is 1 tall, from the ground to the tip of its roof; the house is on its shaded side. */
const shapes = {
  tower: new Path2D('M-.1 .02C-.082 -.2 -.066 -.5 -.06 -.735L.06 -.735C.066 -.5 .082 -.2 .1 .02Z'),
  bands: new Path2D(
    'M-.088 -.13C-.083 -.2 -.079 -.25 -.076 -.3L.076 -.3C.079 -.25 .083 -.2 .088 -.13Z' +
      'M-.07 -.44L-.0645 -.6L.0645 -.6L.07 -.44Z',
  ),
  shade: new Path2D('M.018 .02C.015 -.3 .012 -.5 .012 -.735L.06 -.735C.066 -.5 .082 -.2 .1 .02Z'),
  gallery: new Path2D('M-.092 -.735L-.072 -.765L.072 -.765L.092 -.735L.076 -.715L-.076 -.715Z'),
  lamp: new Path2D('M-.045 -.765L-.045 -.885L.045 -.885L.045 -.765Z'),
  frame: new Path2D(
    'M-.048 -.765L-.048 -.89L-.04 -.89L-.04 -.765ZM.04 -.765L.04 -.89L.048 -.89L.048 -.765Z' +
      'M-.0045 -.765L-.0045 -.89L.0045 -.89L.0045 -.765ZM-.09 -.8L.09 -.8L.09 -.793L-.09 -.793Z' +
      'M-.09 -.8L-.084 -.8L-.084 -.76L-.09 -.76ZM.084 -.8L.09 -.8L.09 -.76L.084 -.76Z',
  ),
  dome: new Path2D(
    'M-.062 -.885C-.056 -.93 -.03 -.955 -.006 -.962L-.005 -1L.005 -1L.006 -.962C.03 -.955 .056 -.93 .062 -.885Z',
  ),
  windows: new Path2D(
    'M-.022 -.37a.014 .014 0 0 1 .028 0v.035h-.028ZM-.016 -.655a.012 .012 0 0 1 .024 0v.03h-.024Z' +
      'M-.026 .02v-.075a.022 .022 0 0 1 .044 0v.075Z',
  ),
  house: new Path2D('M.09 .02L.09 -.13L.32 -.13L.32 .02Z'),
  roof: new Path2D('M.07 -.125L.115 -.225L.3 -.225L.342 -.125ZM.25 -.2L.25 -.265L.285 -.265L.285 -.2Z'),
  panes: new Path2D('M.13 -.095h.035v.045h-.035ZM.2 -.095h.035v.045h-.035ZM.262 -.1h.034v.12h-.034Z'),
};

/** Creates a lighthouse with coloured bands and a keeper's house; its lamp turns unless it is day. */
export function createLighthouse(setting: Setting, { x, y, height, depth }: Place): Layer {
  const { palette, sun } = setting;
  const air = 0.72;
  const wall = palette.far(palette.lit(colour(0.95, 0.015, 85)), air);
  const red = palette.far(palette.lit(colour(0.56, 0.18, 29)), air);
  const dark = palette.far(lighten(palette.ink, 0.06), air);
  const glass = palette.isDay ? mix(dark, palette.skyLow, 0.5) : palette.lamp;
  const panes = palette.isDay ? mix(dark, palette.skyTop, 0.25) : palette.lamp;
  const roof = palette.coverAmount === 1 ? palette.far(palette.cover, air) : lighten(red, -0.07);
  // The shaded side is the one away from the sun.
  const side = sun.x < x ? 1 : -1;
  return {
    depth,
    draw(context, moment) {
      context.translate(x, y);
      context.scale(side * height, height);
      fill(context, lighten(wall, -0.05), shapes.house);
      fill(context, roof, shapes.roof);
      fill(context, panes, shapes.panes);
      fill(context, wall, shapes.tower);
      fill(context, red, shapes.bands);
      fill(context, panes, shapes.windows);
      fill(context, css(mix(palette.skyTop, palette.ink, 0.4), 0.24), shapes.shade);
      fill(context, glass, shapes.lamp);
      fill(context, dark, shapes.frame);
      fill(context, dark, shapes.gallery);
      fill(context, red, shapes.dome);
      if (!palette.isDay) drawBeam(context, setting, moment);
    },
  };
}

function drawBeam(context: SKRSContext2D, { palette }: Setting, moment: Moment): void {
  const angle = 2 * Math.PI * moment.turn(turnsPerSecond);
  context.translate(0, -0.83);
  for (const way of [1, -1]) {
    // The turning beam looks long when it points sideways, and short when it points at the viewer.
    const reach = way * Math.cos(angle) * 5.2;
    const strength = 0.1 + 0.3 * Math.abs(Math.cos(angle)) ** 0.7;
    const stops = fading(palette.lamp, { 0: strength * 1.6, 0.25: strength * 0.6, 1: 0 });
    const beam = linearGradient(context, [0, 0, reach, 0], stops);
    fill(context, beam, () => {
      context.moveTo(0, -0.03);
      context.lineTo(reach, -0.42);
      context.lineTo(reach, 0.22);
      context.lineTo(0, 0.03);
    });
  }
  const flash = 0.5 + 0.9 * Math.abs(Math.sin(angle)) ** 8;
  fillGlow(context, { x: 0, y: 0, radius: flash }, fading(palette.lamp, { 0: 0.9, 0.2: 0.35, 1: 0 }));
}
