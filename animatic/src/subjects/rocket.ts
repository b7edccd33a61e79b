import { Path2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../drawing/colour.ts';
import type { Draw, Paint } from '../drawing/layer.ts';
import { disc, ellipse, fill, fillRect, linearGradient, within } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { createSprite } from '../drawing/sprite.ts';
import { createLaunchCloud, createTrail } from './rocket/smoke.ts';
import type { Subject } from './subject.ts';

const length = 0.3;

/** A rocket as in old science fiction: round, with fins and a porthole, climbing steeply on its flame. */
export const rocket: Subject = {
  place: 'air',
  length,
  speed: 0,
  create(setting) {
    const { storyboard, stage, dice } = setting;
    const isInSpace = storyboard.scene === 'space';
    const lean = isInSpace ? dice.between(0.95, 1.12) : dice.between(1.15, 1.25);
    // On earth it is higher than other flying subjects, so that there is room for its column of smoke.
    const rise = isInSpace ? 0 : 0.45;
    const ground = stage.horizon + 0.45 * (stage.height - stage.horizon);
    const drop = rise + (ground - (0.86 * stage.horizon - 0.06)) / length;
    const drawSmoke = isInSpace ? createTrail(setting, lean) : createLaunchCloud(setting, { lean, drop });
    const drawFlame = createFlame(setting);
    const box = { left: -0.65, top: -0.36, width: 1.2, height: 0.72 };
    const drawBody = createSprite(setting.pixelsPerUnit * length * 1.5, box, createBody(setting));
    return (context, moment) => {
      // It surges forward and falls back, and shakes a little all the time.
      const surge = 0.06 * moment.wave(0.2);
      const shake = 0.005 * moment.wave(5) + 0.003 * moment.wave(7.4, 0.3);
      context.translate(0, -rise);
      drawSmoke(context, moment);
      context.translate(surge * Math.cos(lean), -surge * Math.sin(lean));
      context.rotate(-lean + 0.014 * moment.wave(0.4));
      context.translate(0, shake);
      drawFlame(context, moment);
      drawBody(context);
    };
  },
};

/** Creates the body, which points right from x = −0.42 to 0.5; once it leans, the sun is on its positive y side. */
function createBody({ palette, dice }: Setting): Paint {
  const hull = new Path2D(
    'M.5 0C.4 -.1 .22 -.165 .02 -.165C-.16 -.165 -.32 -.125 -.42 -.08L-.42 .08C-.32 .125 -.16 .165 .02 .165C.22 .165 .4 .1 .5 0Z',
  );
  const nose = new Path2D('M.5 0C.44 -.06 .36 -.11 .26 -.138Q.3 0 .26 .138C.36 .11 .44 .06 .5 0Z');
  const stripe = new Path2D('M-.25 -.3Q-.21 0 -.25 .3L-.3 .3Q-.26 0 -.3 -.3Z');
  const farFin = new Path2D('M-.12 -.15C-.3 -.2 -.42 -.3 -.58 -.33C-.55 -.24 -.52 -.14 -.4 -.085Z');
  const nearFin = new Path2D('M-.12 .15C-.3 .2 -.42 .3 -.58 .33C-.55 .24 -.52 .14 -.4 .085Z');
  const middleFin = new Path2D('M-.1 .02C-.26 .045 -.44 .05 -.6 .015C-.44 -.02 -.26 -.02 -.1 .02Z');
  const nozzle = new Path2D('M-.4 -.07L-.48 -.095L-.48 .095L-.4 .07Z');
  // The shell is polished, so it is brighter than the things around it.
  const white = colour(0.95, 0.025, 80);
  const shell = mix(palette.lit(white), white, 0.66);
  const shade = mix(palette.ink, palette.skyTop, 0.4);
  const trim = palette.isNight ? lighten(palette.accent, 0.12) : palette.accent;
  const glass = palette.isDay ? palette.lit(colour(0.5, 0.09, 230)) : palette.lamp;
  const portholes = dice.pick([[0.1], [0.14, -0.08]]);
  return (context) => {
    fill(context, mix(trim, shade, 0.5), farFin);
    fill(context, lighten(trim, 0.04), nearFin);
    fill(context, mix(shade, palette.ink, 0.5), nozzle);
    fill(context, shell, hull);
    within(context, hull, () => {
      fill(context, trim, nose);
      fill(context, trim, stripe);
      // The body is round: bright towards the sun, with a line of reflected light in the shade.
      context.fillStyle = linearGradient(context, [0, -0.17, 0, 0.17], {
        0: css(shade, 0.5),
        0.12: css(shade, 0.62),
        0.5: css(shade, 0.14),
        0.66: css(palette.sun, 0),
        0.8: css(palette.sun, 0.42),
        1: css(palette.sun, 0.06),
      });
      context.fillRect(-0.5, -0.2, 1.1, 0.4);
    });
    for (const x of portholes) {
      fill(context, mix(trim, shade, 0.25), disc(x, 0, 0.062));
      fill(context, glass, disc(x, 0, 0.046));
      fill(context, css(palette.sun, 0.6), ellipse(x + 0.012, 0.016, 0.02, 0.009, -0.6));
    }
    fill(context, mix(trim, shade, 0.22), middleFin);
  };
}

/** Creates the flame: tongues within each other, each with a flicker of its own, and a glow around them. */
function createFlame({ palette }: Setting): Draw {
  const tongues = [
    { reach: 0.62, width: 0.105, tone: css(colour(0.68, 0.2, 42), 0.92), pace: 4.2 },
    { reach: 0.44, width: 0.078, tone: css(colour(0.83, 0.16, 78)), pace: 5.4 },
    { reach: 0.24, width: 0.05, tone: css(colour(0.98, 0.04, 100)), pace: 6.6 },
  ];
  const glowTone = colour(0.78, 0.16, 60);
  const strength = palette.isDay ? 0.25 : 0.55;
  return (context, moment) => {
    const glow = context.createRadialGradient(-0.66, 0, 0, -0.66, 0, 0.62);
    const flare = strength * (0.9 + 0.1 * moment.wave(4.2));
    glow.addColorStop(0, css(glowTone, flare));
    glow.addColorStop(0.4, css(glowTone, 0.3 * flare));
    glow.addColorStop(1, css(glowTone, 0));
    fillRect(context, glow, -1.3, -0.64, 1.28, 1.28);
    for (const { reach, width, tone, pace } of tongues) {
      const tip = -0.46 - reach * (1 + 0.13 * moment.wave(pace) + 0.06 * moment.wave(pace * 1.7, 0.4));
      const bend = 0.03 * moment.wave(pace * 0.8, 0.2);
      fill(context, tone, () => {
        context.moveTo(-0.46, -width * 0.75);
        context.bezierCurveTo(-0.56, -width * 1.5, tip * 0.6 - 0.2, -width * 0.7, tip, bend);
        context.bezierCurveTo(tip * 0.6 - 0.2, width * 0.7, -0.56, width * 1.5, -0.46, width * 0.75);
      });
    }
  };
}
