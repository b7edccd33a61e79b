import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import { ease } from '../../drawing/ease.ts';
import type { Layer } from '../../drawing/layer.ts';
import { addLens } from '../../drawing/lens.ts';
import type { Moment } from '../../drawing/moment.ts';
import { type Curve, createNoise } from '../../drawing/noise.ts';
import type { Setting } from '../../drawing/setting.ts';
import { waterTone } from '../../drawing/water.ts';
import { foamTone } from './foam-tone.ts';

const count = 3;
const perSecond = 0.13;
const step = 0.022;

/** Creates waves that roll towards the viewer, rise, break along their crests and run out as foam. */
export function createRollers(setting: Setting, { shore }: { shore: number }): Layer[] {
  const { stage, dice } = setting;
  const from = stage.horizon + 0.2 * (shore - stage.horizon);
  const period = stage.right - stage.left;
  const rollers = Array.from({ length: count }, (_, index) => ({
    start: index / count,
    wander: createNoise(dice, { period, octaves: 3 }),
    breaks: createNoise(dice, { period: 0.8 * period, octaves: 2 }),
  }));
  const drawRoller = createRoller(setting, { from, shore });
  return [
    {
      depth: 0.51,
      draw(context, moment) {
        // The nearest comes last.
        const sorted = rollers
          .map(({ start, ...roller }) => ({ ...roller, along: moment.turn(perSecond, start) }))
          .sort((one, other) => one.along - other.along);
        for (const roller of sorted) drawRoller(context, moment, roller);
      },
    },
  ];
}

interface Roller {
  /** 0 far out, 1 on the shore. */
  along: number;
  wander: Curve;
  breaks: Curve;
}

function createRoller(setting: Setting, { from, shore }: { from: number; shore: number }) {
  const { stage, palette } = setting;
  const below = stage.height - stage.horizon;
  const white = foamTone(palette);
  const shaded = mix(white, mix(palette.water, palette.skyMiddle, 0.5), 0.42);
  const deep = lighten(waterTone(setting, 0.8), -0.05);
  const clear = mix(lighten(waterTone(setting, 0.35), 0.03), palette.glow, 0.3 * palette.sunStrength);
  return (context: SKRSContext2D, moment: Moment, { along, wander, breaks }: Roller) => {
    const nearness = along ** 1.7;
    const y = from + (shore - from) * nearness;
    // It rises until it breaks, and then collapses.
    const collapse = ease(Math.max(0, (along - 0.62) / 0.38));
    const tall = 0.5 * below * (0.12 + nearness) * Math.sin(Math.PI * Math.min(1, 0.3 + 0.75 * along)) ** 0.8;
    const visible = Math.min(1, 5 * along, 7 * (1 - along));
    if (visible <= 0) return;
    const lineAt = (x: number) => y + 0.22 * tall * wander(x);
    const crestAt = (x: number) => {
      const swell = 0.66 + 0.34 * wander(0.6 * x + 0.3);
      const ripple = 0.03 * Math.sin(31 * x + 2 * Math.PI * moment.turn(0.4));
      return lineAt(x) - tall * (1 - 0.75 * collapse) * (swell + ripple);
    };
    const footAt = (x: number) => lineAt(x) + 0.16 * tall;
    const face = context.createLinearGradient(0, y - tall, 0, y + 0.16 * tall);
    face.addColorStop(0, css(clear, 0.95 * visible));
    face.addColorStop(0.4, css(mix(clear, deep, 0.7), 0.92 * visible));
    face.addColorStop(0.8, css(deep, 0.8 * visible));
    face.addColorStop(1, css(deep, 0));
    context.fillStyle = face;
    context.beginPath();
    for (let x = stage.left; x <= stage.right; x += step) context.lineTo(x, crestAt(x));
    for (let x = stage.right; x >= stage.left; x -= step) context.lineTo(x, footAt(x));
    context.fill();
    // The crest is white where it breaks; the break spreads along it until all of it is foam that falls down the face.
    const broken = 2.1 * along - 0.75;
    const thickness = (x: number) => {
      const strength = ease(Math.min(1, Math.max(0, 1.6 * (breaks(x) + broken))));
      return strength * (0.1 * tall + (footAt(x) - crestAt(x)) * (0.16 + 0.8 * collapse));
    };
    const fine = step / 3;
    context.fillStyle = css(shaded, 0.9 * visible);
    fillStrip((x) => crestAt(x) + thickness(x) * (0.78 + 0.42 * Math.abs(Math.sin(16 * x + 3 * wander(2 * x)))));
    context.fillStyle = css(white, 0.95 * visible);
    fillStrip((x) => crestAt(x) + thickness(x) * (0.42 + 0.4 * Math.abs(Math.sin(19 * x + 2 * wander(3 * x)))));

    function fillStrip(lowerAt: (x: number) => number): void {
      context.beginPath();
      for (let x = stage.left; x <= stage.right; x += fine) {
        // Small bumps on top, where the foam is thrown up.
        context.lineTo(x, crestAt(x) - thickness(x) * (0.1 + 0.14 * Math.abs(Math.sin(27 * x + 5 * breaks(3 * x)))));
      }
      for (let x = stage.right; x >= stage.left; x -= fine) context.lineTo(x, lowerAt(x));
      context.fill();
    }
    // Foam is left behind on the back of the wave.
    context.fillStyle = css(white, 0.4 * visible * Math.min(1, 2 * along));
    context.beginPath();
    for (let x = stage.left; x <= stage.right; x += 0.09) {
      const half = 0.05 * (0.3 + nearness) * (1 + breaks(2 * x));
      addLens(
        context,
        x + 0.05 * wander(3 * x),
        footAt(x) + 0.02 * (1 + wander(5 * x)),
        half,
        0.0035 * (0.4 + nearness),
      );
    }
    context.fill();
  };
}
