import { createCanvas, type ImageData } from '@napi-rs/canvas';
import { type Colour, colour, css } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import type { Moment } from '../drawing/moment.ts';
import { type Curve, createNoise } from '../drawing/noise.ts';
import { fading, fillRect, linearGradient } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import type { Stage } from '../drawing/stage.ts';
import type { Weather } from './weather.ts';

/** The colours of a curtain, from its hem up. */
type Hues = readonly [hem: Colour, middle: Colour, top: Colour];

const green = colour(0.86, 0.19, 158);
const teal = colour(0.74, 0.13, 190);
const violet = colour(0.56, 0.2, 308);
const rose = colour(0.66, 0.19, 350);
const palettes: readonly [Hues, ...Hues[]] = [
  [green, teal, violet],
  [green, colour(0.78, 0.16, 168), violet],
  [green, violet, rose],
];

/** Northern lights: curtains of rays that wave, green at the hem and violet above. */
export const aurora: Weather = {
  light: { cover: 0, haze: 0, dim: 0 },
  create(setting) {
    const { storyboard, dice, palette } = setting;
    if (storyboard.scene === 'space') return [];
    const strength = palette.isNight ? 1 : palette.isDay ? 0.35 : 0.6;
    const hues = dice.pick(palettes);
    const curtains = [
      createCurtain(setting, { hem: dice.between(0.68, 0.78), height: 0.3, strength: 0.5 * strength }),
      createCurtain(setting, { hem: dice.between(0.48, 0.58), height: 0.46, strength: 0.85 * strength }),
    ];
    return [createVeil(setting, hues[0], strength), createCurtainLayer(setting, curtains, hues)];
  },
};

/** Creates the glow below and around the curtains. */
function createVeil({ stage }: Setting, tone: Colour, strength: number): Layer {
  const top = 0.3 * stage.horizon;
  return {
    depth: 0.021,
    draw(context, moment) {
      const stops = fading(tone, { 0: 0, 0.5: 0.14 * strength * (1 + 0.2 * moment.wave(0.2)), 1: 0.03 });
      context.fillStyle = linearGradient(context, [0, top, 0, stage.horizon], stops);
      context.fillRect(stage.left, top, stage.right - stage.left, stage.horizon - top);
    },
  };
}

/** A band of rays across the sky. */
interface Curtain {
  hem: number;
  height: number;
  strength: number;
  lean: number;
  offset: number;
  rays: Curve;
  lengths: Curve;
  folds: Curve;
}

function createCurtain({ stage, dice }: Setting, shape: Pick<Curtain, 'hem' | 'height' | 'strength'>): Curtain {
  const period = stage.right - stage.left;
  return {
    ...shape,
    height: shape.height * Math.max(1, stage.horizon / 0.75),
    lean: dice.between(-0.12, 0.12),
    offset: dice.between(0, 1),
    rays: createNoise(dice, { period, octaves: 6 }),
    lengths: createNoise(dice, { period, octaves: 5 }),
    folds: createNoise(dice, { period, octaves: 2 }),
  };
}

/** The size of a dot of light, in units: narrow and tall, as the rays are. */
const dot = { width: 0.006, height: 0.014 };

/** Creates a layer that adds up all curtains' light in a small picture, in every frame, and draws it over the sky. */
function createCurtainLayer({ stage }: Setting, curtains: readonly Curtain[], hues: Hues): Layer {
  const columns = Math.ceil((stage.right - stage.left) / dot.width);
  const rows = Math.ceil((stage.horizon - stage.top) / dot.height);
  const canvas = createCanvas(columns, rows);
  const painter = canvas.getContext('2d');
  const image = painter.createImageData(columns, rows);
  const profile = readProfile(hues);
  return {
    depth: 0.03,
    draw(context, moment) {
      const { data } = image;
      for (let pixel = 0; pixel < data.length; pixel += 4) data.set(dark, pixel);
      for (const curtain of curtains) addCurtain(image, curtain, { stage, profile, moment });
      painter.putImageData(image, 0, 0);
      context.globalCompositeOperation = 'lighter';
      context.drawImage(canvas, stage.left, stage.top, columns * dot.width, rows * dot.height);
    },
  };
}

const dark = [0, 0, 0, 255];

function addCurtain(
  { data, width, height: rows }: ImageData,
  { hem, height, strength, lean, offset, rays, lengths, folds }: Curtain,
  { stage, profile, moment }: { stage: Stage; profile: Uint8ClampedArray; moment: Moment },
): void {
  const [slow, fast] = [moment.turn(0.2, offset), moment.turn(0.4, offset)];
  const flow = 0.06 * moment.wave(0.2, offset);
  for (let column = 0; column < width; column++) {
    const place = column * dot.width;
    const x = stage.left + place;
    const fold = 0.66 + 0.75 * folds(place + 0.4 + flow) + 0.22 * sine(0.7 * x - slow);
    const light = strength * Math.max(0, fold) * Math.max(0.1, 0.62 + 0.9 * rays(place + flow));
    const ripple = 0.035 * sine(0.9 * x - slow) + 0.012 * sine(2.7 * x + fast);
    const foot = stage.horizon * hem + lean * (x - stage.width / 2) + 0.09 * folds(place) + ripple;
    const long = height * (0.6 + 0.4 * lengths(place + flow) + 0.2 * sine(0.6 * x + slow));
    const first = Math.max(0, Math.ceil((foot - long - stage.top) / dot.height));
    const last = Math.min(rows - 1, Math.floor((foot - stage.top) / dot.height));
    for (let row = first; row <= last; row++) {
      const up = (foot - stage.top - row * dot.height) / long;
      const from = 4 * Math.floor(Math.min(0.999, up) * profileLength);
      const pixel = 4 * (row * width + column);
      for (let channel = 0; channel < 3; channel++) {
        data[pixel + channel] = (data[pixel + channel] ?? 0) + light * (profile[from + channel] ?? 0);
      }
    }
  }
}

function sine(turns: number): number {
  return Math.sin(2 * Math.PI * turns);
}

const profileLength = 256;

/** Returns the colours of a ray from its foot up, on black: a soft foot, bright just above it, and fading upwards. */
function readProfile([hem, middle, top]: Hues): Uint8ClampedArray {
  const context = createCanvas(profileLength, 1).getContext('2d');
  const gradient = linearGradient(context, [0, 0, profileLength, 0], {
    0: css(hem, 0),
    0.1: css(hem, 0.6),
    0.17: css(hem, 0.72),
    0.42: css(middle, 0.38),
    0.72: css(top, 0.24),
    1: css(top, 0),
  });
  fillRect(context, '#000000', 0, 0, profileLength, 1);
  fillRect(context, gradient, 0, 0, profileLength, 1);
  return context.getImageData(0, 0, profileLength, 1).data;
}
