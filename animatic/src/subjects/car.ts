import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../drawing/colour.ts';
import { drawHeadlight } from '../drawing/headlight.ts';
import type { Draw } from '../drawing/layer.ts';
import type { Moment } from '../drawing/moment.ts';
import { disc, drawAt, ellipse, fill, linearGradient, stroke, within } from '../drawing/paint.ts';
import { drawPuffs } from '../drawing/puffs.ts';
import type { Setting } from '../drawing/setting.ts';
import { createRoofLoad } from './car/roof-load.ts';
import type { Subject } from './subject.ts';

const length = 0.26;
const speed = 0.5;
const wheelRadius = 0.092;
const wheels = [-0.285, 0.295] as const;

/** A small, round car of the 1960s on a holiday trip. */
export const car: Subject = {
  place: 'ground',
  length,
  speed,
  create(setting) {
    const drawTrail = createTrail(setting);
    const drawBody = createBody(setting);
    const drawWheel = createWheel(setting);
    const { palette, storyboard } = setting;
    const isWet = storyboard.weather === 'rain' || storyboard.weather === 'storm';
    const shadow = css(palette.ink, palette.isDay ? 0.3 : 0.45);
    return (context, moment) => {
      fill(context, shadow, ellipse(-0.02, 0.004, 0.54, 0.028));
      if (isWet) fill(context, css(palette.accent, 0.22), ellipse(0, 0.1, 0.44, 0.1));
      if (!palette.isDay) {
        drawHeadlight(context, {
          x: 0.46,
          y: -0.2,
          reach: palette.isNight ? 1.5 : 1.1,
          ground: 0.02,
          lamp: palette.lamp,
        });
      }
      drawTrail(context, moment);
      // The springs make quick, small bumps and a slow lean over the axles.
      const y = -0.006 * moment.wave(2.3) - 0.005 * moment.wave(1.1, 0.3);
      const angle = 0.011 * moment.wave(0.7) + 0.005 * moment.wave(2.3, 0.2);
      drawAt(context, { x: 0, y, angle }, () => drawBody(context, moment));
      for (const x of wheels) drawWheel(context, moment, x);
    };
  },
};

const shell = new Path2D(
  'M-.48-.085C-.53-.2-.48-.275-.355-.292C-.3-.425-.18-.475-.03-.475C.11-.475.17-.395.225-.3C.37-.29.49-.255.495-.135L.49-.085Q.49-.07.47-.07L-.46-.07Q-.478-.07-.48-.085Z',
);
const cabin = new Path2D('M-.355-.29C-.3-.425-.18-.475-.03-.475C.11-.475.17-.395.225-.298L.2-.285L-.34-.28Z');
const panes = new Path2D(
  'M-.298-.297C-.25-.39-.17-.435-.065-.44L-.065-.297ZM-.035-.297L-.035-.441C.075-.44.12-.385.172-.297Z',
);
const lowerSide = new Path2D('M-.498-.16C-.3-.19.2-.19.494-.16L.49-.085Q.49-.07.47-.07L-.46-.07Q-.478-.07-.48-.085Z');

function createBody(setting: Setting): Draw {
  const { palette, dice } = setting;
  const cream = palette.lit(colour(0.94, 0.03, 90));
  const isTwoTone = dice.chance(0.65);
  const drawLoad = createRoofLoad(setting);
  const chrome = css(mix(cream, palette.skyMiddle, 0.35));
  const glass = palette.isNight ? mix(palette.skyMiddle, palette.lamp, 0.12) : mix(palette.skyMiddle, palette.ink, 0.5);
  const dark = css(mix(palette.ink, palette.accent, 0.08));
  const driver = css(mix(palette.ink, palette.skyTop, 0.15));
  return (context, moment) => {
    drawLoad(context, moment);
    const paint = linearGradient(context, [-0.3, -0.4, 0.35, -0.05], {
      0: palette.accent,
      0.6: lighten(palette.accent, 0.03),
      1: mix(palette.accent, palette.sun, 0.12 + 0.22 * palette.sunStrength),
    });
    fill(context, paint, shell);
    fill(context, css(mix(palette.accent, palette.ink, 0.32), 0.75), lowerSide);
    fill(context, isTwoTone ? css(cream) : paint, cabin);
    fill(context, glass, panes);
    within(context, panes, () => {
      fill(context, driver, () => {
        context.arc(0.035, -0.352 + 0.003 * moment.wave(1.1, 0.5), 0.04, 0, 2 * Math.PI);
        context.ellipse(0.01, -0.27, 0.07, 0.055, 0, 0, 2 * Math.PI);
        context.rect(-0.19, -0.36, 0.05, 0.1);
      });
      fill(context, css(mix(palette.skyLow, palette.sun, 0.4), palette.isNight ? 0.12 : 0.36), () => {
        for (const x of [-0.2, 0.1]) {
          context.moveTo(x, -0.28);
          context.lineTo(x + 0.1, -0.46);
          context.lineTo(x + 0.155, -0.46);
          context.lineTo(x + 0.055, -0.28);
        }
      });
    });
    stroke(context, chrome, 0.009, () => {
      context.moveTo(-0.49, -0.205);
      context.bezierCurveTo(-0.25, -0.232, 0.2, -0.232, 0.45, -0.2);
    });
    stroke(context, css(palette.ink, 0.28), 0.006, () => {
      context.moveTo(-0.052, -0.285);
      context.lineTo(-0.06, -0.09);
      context.moveTo(0.19, -0.285);
      context.quadraticCurveTo(0.2, -0.16, 0.165, -0.09);
    });
    fill(context, chrome, () => {
      context.roundRect(-0.035, -0.262, 0.055, 0.012, 0.006);
      context.roundRect(0.455, -0.125, 0.062, 0.026, 0.013);
      context.roundRect(-0.515, -0.125, 0.062, 0.026, 0.013);
    });
    fill(context, dark, () => {
      for (const x of wheels) context.arc(x, -wheelRadius, wheelRadius * 1.28, Math.PI, 2 * Math.PI);
    });
    drawLights(context, setting);
  };
}

function drawLights(context: SKRSContext2D, { palette }: Setting): void {
  const lamp = (x: number, y: number, radius: number, tone: string) =>
    fill(context, tone, ellipse(x, y, radius * 0.7, radius));
  const red = colour(0.62, 0.23, 26);
  lamp(0.452, -0.2, 0.04, css(palette.lit(colour(0.9, 0.01, 240))));
  lamp(0.458, -0.2, 0.03, css(palette.isDay ? palette.lit(colour(0.97, 0.04, 95)) : lighten(palette.lamp, 0.07)));
  if (!palette.isDay) {
    lamp(0.47, -0.2, 0.075, css(palette.lamp, 0.3));
    lamp(-0.495, -0.19, 0.11, css(red, 0.16));
    lamp(-0.495, -0.19, 0.06, css(red, 0.35));
  }
  lamp(-0.484, -0.19, 0.026, css(palette.isDay ? palette.lit(red) : red));
}

function createWheel({ palette }: Setting): (context: SKRSContext2D, moment: Moment, x: number) => void {
  const tyre = css(lighten(palette.ink, 0.02));
  const cap = css(palette.lit(colour(0.88, 0.015, 90)));
  const hub = css(palette.accent);
  return (context, moment, x) => {
    context.save();
    context.translate(x, -wheelRadius);
    context.rotate(2 * Math.PI * moment.turn(speed / (2 * Math.PI * wheelRadius * length)));
    for (const [radius, style] of [
      [1, tyre],
      [0.62, cap],
      [0.5, tyre],
      [0.4, cap],
      [0.16, hub],
    ] as const)
      fill(context, style, disc(0, 0, wheelRadius * radius));
    fill(context, tyre, () => {
      for (let hole = 0; hole < 5; hole++) {
        const angle = (hole / 5) * 2 * Math.PI;
        context.moveTo(Math.cos(angle) * 0.03 + 0.008, Math.sin(angle) * 0.03);
        context.arc(Math.cos(angle) * 0.027, Math.sin(angle) * 0.027, 0.007, 0, 2 * Math.PI);
      }
    });
    context.restore();
  };
}

/** Creates what the wheels throw up: dust if it is dry, spray if it is wet, powder snow in winter. */
function createTrail({ palette, storyboard }: Setting): Draw {
  const isWet = storyboard.weather === 'rain' || storyboard.weather === 'storm';
  const base = { y: -0.03, count: 11, perSecond: 1.1 };
  if (isWet) {
    const tone = mix(palette.skyLow, palette.cover, 0.5);
    const spray = { ...base, driftX: -0.5, driftY: -0.12, from: 0.012, to: 0.06, tone, alpha: 0.32 };
    return (context, moment) => {
      for (const x of wheels) drawPuffs(context, moment, { ...spray, x: x - 0.08 });
    };
  }
  const isSnowy = palette.coverAmount === 1;
  const { scene } = storyboard;
  const dust = scene === 'desert' || scene === 'sea' ? palette.sand : palette.land;
  const tone = isSnowy ? palette.cover : mix(mix(dust, palette.haze, 0.4), palette.sun, 0.35);
  const isPaved = scene === 'city' || scene === 'town';
  const strength = scene === 'desert' || isSnowy ? 0.6 : isPaved ? 0 : 0.3;
  if (strength === 0) return () => undefined;
  const cloud = { ...base, x: -0.36, driftX: -1.3, driftY: -0.15, from: 0.025, to: 0.15, tone, alpha: strength };
  return (context, moment) => drawPuffs(context, moment, cloud);
}
