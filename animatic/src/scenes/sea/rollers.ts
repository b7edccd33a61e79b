import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import { ease } from '../../drawing/ease.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { createNoise } from '../../drawing/noise.ts';
import { addLens, fill, linearGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { waterTone } from '../../drawing/water.ts';
import { foamTone } from './foam-tone.ts';

const count = 3;
const perSecond = 0.13;
const step = 0.013;
/** Every so many points, foam is left on the back of a wave. */
const pointsPerFoam = 7;

/** Creates waves that roll towards the viewer, rise, break along their crests and run out as foam. */
export function createRollers(setting: Setting, { shore }: { shore: number }): Layer[] {
  const rollers = Array.from({ length: count }, (_, index) => ({
    start: index / count,
    points: createPoints(setting),
  }));
  const drawRoller = createRoller(setting, shore);
  return [
    {
      depth: 0.51,
      draw(context, moment) {
        // The nearest comes last.
        const sorted = rollers
          .map(({ start, points }) => ({ points, along: moment.turn(perSecond, start) }))
          .sort((one, other) => one.along - other.along);
        for (const roller of sorted) drawRoller(context, moment, roller);
      },
    },
  ];
}

/** A place along a wave, with everything about it that does not change with time. */
interface Point {
  x: number;
  /** How far the wave is nearer or farther here, −1..1. */
  bend: number;
  /** How high it is here, 0.3..1. */
  swell: number;
  /** How early it breaks here, −1..1. */
  breaks: number;
  /** How far the bumps on its crest and the fingers of its foam reach, 0..1. */
  bump: number;
  finger: number;
  shadedFinger: number;
}

function createPoints({ stage, dice }: Setting): Point[] {
  const period = stage.right - stage.left;
  const wander = createNoise(dice, { period, octaves: 3 });
  const breaks = createNoise(dice, { period: 0.8 * period, octaves: 2 });
  return Array.from({ length: Math.ceil(period / step) + 1 }, (_, index) => {
    const x = stage.left + index * step;
    return {
      x,
      bend: wander(x),
      swell: 0.66 + 0.34 * wander(0.6 * x + 0.3),
      breaks: breaks(x),
      bump: Math.abs(Math.sin(27 * x + 5 * breaks(3 * x))),
      finger: Math.abs(Math.sin(19 * x + 2 * wander(3 * x))),
      shadedFinger: Math.abs(Math.sin(16 * x + 3 * wander(2 * x))),
    };
  });
}

interface Roller {
  /** 0 far out, 1 on the shore. */
  along: number;
  points: readonly Point[];
}

function createRoller(setting: Setting, shore: number) {
  const { stage, palette } = setting;
  const below = stage.height - stage.horizon;
  const from = stage.horizon + 0.2 * (shore - stage.horizon);
  const white = foamTone(palette);
  const shaded = mix(white, mix(palette.water, palette.skyMiddle, 0.5), 0.42);
  const deep = lighten(waterTone(setting, 0.8), -0.05);
  const clear = mix(lighten(waterTone(setting, 0.35), 0.03), palette.glow, 0.3 * palette.sunStrength);
  return (context: SKRSContext2D, moment: Moment, { along, points }: Roller) => {
    const visible = Math.min(1, 5 * along, 7 * (1 - along));
    if (visible <= 0) return;
    const nearness = along ** 1.7;
    const y = from + (shore - from) * nearness;
    // It rises until it breaks, and then collapses.
    const collapse = ease(Math.max(0, (along - 0.62) / 0.38));
    const tall = 0.5 * below * (0.12 + nearness) * Math.sin(Math.PI * Math.min(1, 0.3 + 0.75 * along)) ** 0.8;
    const broken = 2.1 * along - 0.75;
    const ripple = 2 * Math.PI * moment.turn(0.4);
    const profile = points.map((point) => {
      const line = y + 0.22 * tall * point.bend;
      const crest = line - tall * (1 - 0.75 * collapse) * (point.swell + 0.03 * Math.sin(31 * point.x + ripple));
      const foot = line + 0.16 * tall;
      // The break spreads along the crest until all of it is foam that falls down the face.
      const strength = ease(Math.min(1, Math.max(0, 1.6 * (point.breaks + broken))));
      const foam = strength * (0.1 * tall + (foot - crest) * (0.16 + 0.8 * collapse));
      return { ...point, crest, foot, foam };
    });
    const backwards = profile.toReversed();
    const face = linearGradient(context, [0, y - tall, 0, y + 0.16 * tall], {
      0: css(clear, 0.95 * visible),
      0.4: css(mix(clear, deep, 0.7), 0.92 * visible),
      0.8: css(deep, 0.8 * visible),
      1: css(deep, 0),
    });
    fill(context, face, () => {
      for (const { x, crest } of profile) context.lineTo(x, crest);
      for (const { x, foot } of backwards) context.lineTo(x, foot);
    });
    for (const isLit of [false, true]) {
      fill(context, isLit ? css(white, 0.95 * visible) : css(shaded, 0.9 * visible), () => {
        for (const { x, crest, foam, bump } of profile) context.lineTo(x, crest - foam * (0.1 + 0.14 * bump));
        for (const { x, crest, foam, finger, shadedFinger } of backwards)
          context.lineTo(x, crest + foam * (isLit ? 0.42 + 0.4 * finger : 0.78 + 0.42 * shadedFinger));
      });
    }
    fill(context, css(white, 0.4 * visible * Math.min(1, 2 * along)), () => {
      for (const [index, { x, foot, breaks, bend, bump }] of profile.entries()) {
        if (index % pointsPerFoam !== 0) continue;
        const half = 0.05 * (0.3 + nearness) * (1 + breaks);
        addLens(context, x + 0.05 * bend, foot - 0.1 * tall + 0.014 * (bump - 0.5), half, 0.0035 * (0.4 + nearness));
      }
    });
  };
}
