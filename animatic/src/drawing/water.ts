import { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../dice.ts';
import type { Storyboard } from '../storyboard/storyboard.ts';
import { type Colour, colour, css, lighten, mix } from './colour.ts';
import { createGlitter } from './glitter.ts';
import type { Layer } from './layer.ts';
import type { Moment } from './moment.ts';
import { addLens, fill, linearGradient } from './paint.ts';
import type { Setting } from './setting.ts';

/** Returns how rough the water is, from 0.55 in fog to 3 in a storm. */
export function roughnessOf({ weather, features }: Pick<Storyboard, 'weather' | 'features'>): number {
  const known: Partial<Record<Storyboard['weather'], number>> = {
    storm: 3,
    rain: 1.3,
    fog: 0.55,
    stars: 0.6,
    aurora: 0.6,
    snow: 0.7,
  };
  const roughness = known[weather] ?? 0.9;
  return features.includes('breakers') ? Math.max(1.6, roughness) : roughness;
}

/** Returns the colour of water, which mirrors the sky less the nearer it is; `near` is 0 at the horizon, 1 below. */
export function waterTone({ palette }: Pick<Setting, 'palette'>, near: number): Colour {
  const sky =
    near < 0.3
      ? mix(palette.skyLow, palette.skyMiddle, near / 0.3)
      : mix(palette.skyMiddle, palette.skyTop, Math.min(1, (near - 0.3) / 0.6));
  const own = palette.isDay ? 0.3 + 0.4 * near : 0.16 + 0.24 * near;
  const tone = mix(sky, palette.water, own);
  return lighten(tone, palette.isNight ? -0.02 : -0.045 - 0.04 * near);
}

interface Band {
  top: number;
  gap: number;
  /** 0 at the horizon, 1 at the lower edge of the frame. */
  near: number;
  depth: number;
}

/**
 * Creates open water from the horizon down: bands of swell, thin and dense far away, large and slow nearby, with the
 * sun's path on them. All bands have a small depth, because the sun's path would lean when the camera pans.
 */
export function createWater(setting: Setting): Layer[] {
  const { stage } = setting;
  const span = stage.bottom - stage.horizon;
  const count = Math.round(7 + 13 * span);
  const bands = Array.from({ length: count }, (_, index): Band => {
    const topOf = (at: number) => stage.horizon + span * (at / count) ** 1.75;
    return {
      top: topOf(index),
      gap: topOf(index + 1) - topOf(index),
      near: (topOf(index) - stage.horizon) / (stage.height - stage.horizon),
      depth: 0.12 + 0.38 * (index / count) ** 1.2,
    };
  });
  return bands.map((band, index) => createBand(setting, band, index % 2 === 0 ? 1 : -1));
}

function createBand(setting: Setting, band: Band, side: number): Layer {
  const { stage, palette, dice, sun, storyboard } = setting;
  const { top, gap, near, depth } = band;
  const roughness = roughnessOf(storyboard);
  // Bands are alternately lighter and darker; the rougher the sea, the stronger.
  const tone = lighten(waterTone(setting, near), 0.009 * side * roughness);
  // Below the sun the water takes its glow; away from it the band is plain.
  const glow =
    0.55 * palette.sunStrength * (palette.isNight ? 0.5 : palette.isDay ? 0.35 : 1) * Math.max(0.25, 1 - 0.6 * near);
  const reach = 0.3 + 0.4 * near;
  const lit = css(mix(tone, palette.glow, glow));
  const halfLit = css(mix(tone, palette.glow, 0.4 * glow));
  const plain = css(tone);
  const swell = createSwell(dice, { height: 0.16 * gap * roughness, length: 0.07 + 3.2 * gap });
  const isFlat = gap < 0.008;
  const rippleLength = 0.45 + 1.2 * near * dice.between(0.8, 1.2);
  const light = createStreaks(setting, band, { length: rippleLength, density: 0.75 });
  const dark = createStreaks(setting, band, { length: rippleLength, density: 0.5 });
  const lightTone = css(mix(tone, mix(palette.skyLow, palette.glow, 0.3), 0.3 + 0.2 * (1 - near)), 0.55);
  const darkTone = css(mix(tone, mix(palette.skyTop, palette.water, 0.5), 0.55), 0.5);
  const caps = isFlat || roughness < 1.2 ? [] : createCaps(setting, band);
  const foam = css(mix(palette.lit(colour(0.97, 0.01, 220)), palette.skyLow, 0.25), 0.75);
  const glitter = createGlitter(setting, band);
  const beat = dice.between(0, 1);
  // The surface passes by with the ground, by a whole number of ripple lengths, so that the video loops.
  const passing = (setting.travel * (0.25 + near)) / rippleLength;
  return {
    depth,
    draw(context, moment) {
      context.fillStyle = linearGradient(context, [sun.x - reach, 0, sun.x + reach, 0], {
        0: plain,
        0.28: halfLit,
        0.5: lit,
        0.72: halfLit,
        1: plain,
      });
      const heave = 0.1 * gap * roughness * moment.wave(0.28, -0.8 * near);
      context.beginPath();
      // Each band extends below the next one, deep enough for that one's lowest trough.
      const foot = top + gap * (1.1 + 0.6 * roughness) + 0.004;
      context.moveTo(stage.left, foot);
      if (isFlat) {
        context.lineTo(stage.left, top);
        context.lineTo(stage.right, top);
      } else {
        const step = Math.max(0.016, 0.08 * swell.length);
        for (let x = stage.left; x < stage.right + step; x += step)
          context.lineTo(x, top + heave + swell.at(x, moment));
      }
      context.lineTo(stage.right, foot);
      context.fill();
      if (caps.length > 0) {
        fill(context, foam, () => {
          for (const { x, half, beat: own } of caps) {
            // The crest breaks and disappears.
            const breaking = Math.max(0, moment.wave(0.4, own));
            const at = x + half * moment.wave(0.2, own);
            addLens(
              context,
              at,
              top + heave + swell.at(at, moment) + 0.04 * gap,
              half * (0.4 + 0.6 * breaking),
              0.11 * gap * breaking,
            );
          }
        });
      }
      const sway = 0.25 * gap * moment.wave(0.28, 0.25 - 0.8 * near);
      const passed = passing === 0 ? 0 : Math.sign(passing) * moment.turn(Math.abs(passing)) * rippleLength;
      context.translate(sway + passed, 1.6 * heave);
      fill(context, darkTone, dark);
      context.translate(0.3 * gap * moment.wave(0.4, beat), 0);
      fill(context, lightTone, light);
      context.translate(-sway - passed, 0);
      glitter(context, moment);
    },
  };
}

/** Creates the crest line of a band: two trains of waves that pass through each other. */
function createSwell(dice: Dice, { height, length }: { height: number; length: number }) {
  const first = dice.between(0, 1);
  const second = dice.between(0, 1);
  const longer = dice.between(1.5, 1.9);
  const way = dice.sign();
  const speed = Math.min(0.8, 0.14 / Math.sqrt(length));
  return {
    length,
    at(x: number, moment: Moment): number {
      const one = Math.sin(2 * Math.PI * (x / length + way * moment.turn(speed) + first));
      const other = Math.sin(2 * Math.PI * (x / (length * longer) - way * moment.turn(0.7 * speed) + second));
      // Crests are narrower than troughs.
      const sum = 0.6 * one + 0.5 * other;
      return -height * (sum + 0.35 * sum * Math.abs(sum));
    },
  };
}

/** Creates the ripples on a band, as a piece that repeats along it. */
function createStreaks(
  { stage, dice }: Setting,
  { top, gap, near }: Band,
  { length, density }: { length: number; density: number },
) {
  const count = Math.round(density * length * (7 + 6 * (1 - Math.min(1, near))));
  const ripples = Array.from({ length: count }, () => ({
    x: dice.between(0, length),
    y: top + gap * dice.between(0.25, 1.15),
    half: (0.012 + 0.5 * gap) * dice.between(0.35, 1.3),
    thick: (0.0008 + 0.035 * gap) * dice.between(0.5, 1.2),
  }));
  const path = new Path2D();
  for (let start = stage.left - 2 * length; start < stage.right + 2 * length; start += length) {
    for (const { x, y, half, thick } of ripples) addLens(path, start + x, y, half, thick);
  }
  return path;
}

/** Returns the places where the crests of a rough sea break. */
function createCaps({ stage, dice }: Setting, { gap }: Band) {
  const count = Math.round((stage.right - stage.left) / (0.12 + 2.2 * gap));
  return Array.from({ length: count }, () => ({
    x: dice.between(stage.left, stage.right),
    half: gap * dice.between(0.6, 1.6),
    beat: dice.between(0, 1),
  }));
}
