import type { Layer } from '../drawing/layer.ts';
import { drawAt } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import { createCirrus } from './sky/cirrus.ts';
import { createCumulus } from './sky/cumulus.ts';
import type { Weather } from './weather.ts';

/** Cumulus at several depths: the dice choose a few, a tower on one side, a bank along the horizon, or cirrus. */
export const clouds: Weather = {
  light: { cover: 0.12, haze: 0.1, dim: 0 },
  create(setting) {
    const { dice, storyboard } = setting;
    if (storyboard.scene === 'space' || storyboard.scene === 'abstract') return [];
    const composition = dice.pick(['few', 'few', 'tower', 'tower', 'bank', 'streaks']);
    const far = createRow(setting, farRows[composition]);
    switch (composition) {
      case 'few':
        return [far, createRow(setting, { ...high, perUnit: 1.1 })];
      case 'tower':
        return [far, createTower(setting)];
      case 'bank':
        return [far, createRow(setting, { ...high, perUnit: 0.5 })];
      case 'streaks':
        return [createCirrus(setting, 0.9), far];
    }
  },
};

interface Row {
  depth: number;
  /** The number of clouds per unit of width. */
  perUnit: number;
  /** The range of their places, as fractions of the way from the top of the frame down to the horizon. */
  from: number;
  to: number;
  length: number;
  /** The height, as a fraction of the length. */
  rise: number;
  nearness: number;
}

const high: Row = { depth: 0.11, perUnit: 1, from: 0.2, to: 0.58, length: 0.5, rise: 0.34, nearness: 1 };
const low: Row = { depth: 0.05, perUnit: 2.2, from: 0.7, to: 0.86, length: 0.24, rise: 0.28, nearness: 0.35 };
const farRows = {
  few: low,
  tower: { ...low, perUnit: 1.6 },
  bank: { ...low, perUnit: 4, from: 0.8, to: 0.92, length: 0.36, rise: 0.5 },
  streaks: { ...low, perUnit: 1.4, from: 0.8, to: 0.9 },
} as const satisfies Record<string, Row>;

interface Placed {
  x: number;
  y: number;
  length: number;
  height: number;
  nearness: number;
}

function createRow(setting: Setting, { depth, perUnit, from, to, length, rise, nearness }: Row): Layer {
  const { stage, dice } = setting;
  const span = stage.right - stage.left;
  // A tall sky holds more of them.
  const count = Math.max(1, Math.round(perUnit * span * Math.max(1, stage.horizon / 0.7)));
  const places = Array.from({ length: count }, (_, index): Placed => {
    const size = length * dice.between(0.55, 1.25);
    return {
      x: stage.left + (span * (index + dice.between(0.1, 0.9))) / count,
      y: stage.horizon * dice.between(from, to),
      length: size,
      height: size * rise * dice.between(0.75, 1.25),
      nearness,
    };
  });
  return createCloudLayer(setting, depth, places);
}

/** Creates one great heap of clouds on the side away from the sun. */
function createTower(setting: Setting): Layer {
  const { stage, dice, sun } = setting;
  const middle = stage.width * (sun.x < stage.width / 2 ? dice.between(0.72, 0.9) : dice.between(0.1, 0.28));
  const base = stage.horizon * dice.between(0.74, 0.84);
  const tall = Math.min(0.6, base * 0.82);
  const parts = [
    { aside: 0, length: 0.62, height: tall, down: 0 },
    { aside: -0.3, length: 0.56, height: tall * 0.55, down: 0.015 },
    { aside: 0.32, length: 0.5, height: tall * 0.45, down: 0.02 },
    { aside: 0.04, length: 0.66, height: tall * 0.3, down: 0.035 },
  ];
  const places = parts.map(({ aside, length, height, down }): Placed => {
    return {
      x: middle + aside * dice.between(0.8, 1.2),
      y: base + down,
      length,
      height: height * dice.between(0.9, 1.1),
      nearness: 0.9,
    };
  });
  return createCloudLayer(setting, 0.09, places);
}

/** Creates clouds that sway, too slow to pass by in a video. Lower ones are farther and drawn first. */
function createCloudLayer(setting: Setting, depth: number, places: readonly Placed[]): Layer {
  const { sun, dice } = setting;
  const drawn = places.map(({ x, y, length, height, nearness }) => {
    const sunward = Math.max(-1, Math.min(1, (sun.x - x) / 0.6));
    const brightness = Math.exp(-(Math.hypot(sun.x - x, sun.y - y) / 1.3));
    const cumulus = createCumulus(setting, { length, height, sunward, brightness, nearness });
    return { x, y, cumulus, sway: dice.between(0.7, 1.3), offset: dice.between(0, 0.2) };
  });
  return {
    depth,
    draw(context, moment) {
      for (const { x, y, cumulus, sway, offset } of drawn)
        drawAt(context, { x: x + 0.04 * sway * moment.wave(0.1, offset), y }, () => cumulus(context));
    },
  };
}
