import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from '../drawing/colour.ts';
import { addFirs } from '../drawing/firs.ts';
import type { Layer } from '../drawing/layer.ts';
import { createNoise } from '../drawing/noise.ts';
import { addDisc, fill, linearGradient, scaled } from '../drawing/paint.ts';
import { createScroll } from '../drawing/scroll.ts';
import type { Setting } from '../drawing/setting.ts';
import { createSprite } from '../drawing/sprite.ts';
import { createWater } from '../drawing/water.ts';
import { createCastle } from './features/castle.ts';
import { createRange } from './mountains/peaks.ts';
import { airAbove, isAfloat, type Scene } from './scene.ts';

/** Ranges of peaks behind each other, lit from the sun's side, with wooded hills in front or, for a boat, a lake. */
export const mountains: Scene = {
  hasSky: true,
  create(setting) {
    const { stage, dice } = setting;
    const below = stage.height - stage.horizon;
    const ground = stage.horizon + 0.62 * below;
    const isLake = isAfloat(setting);
    // One peak stands out, away from the sun, and attracts the eye.
    const hero = stage.width * (0.5 + (setting.sun.x < stage.width / 2 ? 1 : -1) * dice.between(0.04, 0.26));
    // If the horizon is high, the peaks are low enough that even the highest is seen whole.
    const height = Math.min(0.25 * tallOf(setting), 0.55 * stage.horizon);
    return {
      layers: [
        createRange(setting, { depth: 0.12, height, base: stage.horizon, hero }),
        ...(setting.storyboard.features.includes('castle') ? [createHillCastle(setting, isLake)] : []),
        ...(isLake ? createWater(setting) : createLand(setting, ground)),
        createHills(setting, { depth: 1.5, top: stage.horizon + 1.0 * below, rise: 0.06, firs: 0.17 }),
      ],
      ground,
      water: isLake ? stage.horizon + 0.42 * below : null,
      air: airAbove(stage),
    };
  },
};

/** Creates a castle on a crag before the peaks, or beyond the lake, where it hides neither the sun nor the subject. */
function createHillCastle(setting: Setting, isLake: boolean): Layer {
  const { stage, sun, storyboard } = setting;
  const below = stage.height - stage.horizon;
  const sunSide = sun.x > stage.width / 2 ? 1 : -1;
  // The subject is on the side away from the sun.
  const aside = storyboard.subject ? sunSide * 0.34 : -sunSide * 0.2;
  const size = 0.36 * Math.min(1, 0.75 * stage.width) * stage.height ** 0.5;
  return createCastle(setting, {
    x: stage.width * (0.5 + aside),
    y: stage.horizon + (isLake ? 0 : 0.12 * below),
    size,
    rise: (isLake ? 0.3 : 0.5) * size,
    depth: isLake ? 0.121 : 0.4,
  });
}

/** Returns how tall the peaks are: taller in upright frames, which have more sky to fill. */
function tallOf({ stage }: Setting): number {
  return stage.height ** 0.7;
}

/** Creates the land from the foot of the peaks to the meadow that subjects stand on. */
function createLand(setting: Setting, ground: number): Layer[] {
  const { stage, dice } = setting;
  const below = stage.height - stage.horizon;
  return [
    createRange(setting, {
      depth: 0.28,
      height: dice.between(0.12, 0.2) * tallOf(setting),
      base: stage.horizon + 0.1 * below,
    }),
    createHills(setting, { depth: 0.5, top: stage.horizon + 0.14 * below, rise: 0.05, firs: 0.03 }),
    createHills(setting, { depth: 0.72, top: stage.horizon + 0.34 * below, rise: 0.06, firs: 0.055 }),
    // Views from above and upright frames have more land to fill.
    ...(below > 0.5
      ? [createHills(setting, { depth: 0.85, top: stage.horizon + 0.52 * below, rise: 0.05, firs: 0.075 })]
      : []),
    ...(dice.chance(0.55) ? [createLake(setting, stage.horizon + 0.42 * below)] : []),
    createMeadow(setting, ground),
    createHills(setting, { depth: 0.98, top: ground, rise: 0.025, firs: 0 }),
  ];
}

/** The shortest band of grass, which unlike woods may repeat in the frame, so that it passes by even a slow walker. */
const shortestMeadow = 0.5;

interface Hills {
  depth: number;
  top: number;
  rise: number;
  /** The height of its firs; 0 for a meadow. */
  firs: number;
}

/** Creates rolling ground that passes by when the subject travels, with firs along its top. */
function createHills(setting: Setting, { depth, top, rise, firs }: Hills): Layer {
  const { stage, palette, dice } = setting;
  const scroll = createScroll(setting, depth, firs > 0 ? stage.width : shortestMeadow);
  const curve = createNoise(dice, { period: scroll.length, octaves: 3 });
  const topAt = (x: number) => top - rise * curve(x);
  const ground = new Path2D();
  ground.moveTo(-0.01, stage.bottom + 0.4);
  for (let x = -0.01; x <= scroll.length + 0.012; x += 0.01) ground.lineTo(x, topAt(x));
  ground.lineTo(scroll.length + 0.012, stage.bottom + 0.4);
  const wood = new Path2D();
  if (firs > 0) addFirs(wood, { dice, from: 0, to: scroll.length, height: firs, density: 0.72, topAt });
  const near =
    depth > 1 ? mix(palette.ink, palette.foliage, 0.15) : mix(palette.land, palette.foliage, firs > 0 ? 0.55 : 0.15);
  const upper = palette.far(near, depth);
  const lower = palette.far(mix(near, palette.ink, 0.45), depth);
  const woodColour = palette.far(mix(palette.foliage, palette.ink, depth > 1 ? 0.9 : 0.35), depth);
  const woodBox = {
    left: -firs,
    top: top - rise - firs,
    width: scroll.length + 2 * firs,
    height: 2 * rise + 1.2 * firs,
  };
  const drawWood = createSprite(setting.pixelsPerUnit, woodBox, (context) => fill(context, woodColour, wood));
  return {
    depth,
    draw(context, moment) {
      const gradient = linearGradient(context, [0, top - rise, 0, top + 0.3], { 0: upper, 1: lower });
      scroll.draw(context, moment, () => {
        if (firs > 0) drawWood(context);
        fill(context, gradient, ground);
      });
    },
  };
}

/** Creates a lake in the meadow that mirrors a piece of the sky, with a few glints. */
function createLake({ stage, palette, dice, sun }: Setting, y: number): Layer {
  const depth = 0.74;
  const x = sun.x + dice.between(-0.15, 0.15);
  const halfLength = dice.between(0.3, 0.5);
  const halfWidth = 0.028 * stage.height;
  const shore = new Path2D();
  const at = scaled({ x, y }, halfLength, halfWidth);
  shore.moveTo(...at(-1, 0));
  shore.bezierCurveTo(...at(-0.5, -1.3), ...at(0.2, -0.5), ...at(1, -0.3));
  shore.bezierCurveTo(...at(0.7, 1.1), ...at(-0.2, 1.5), ...at(-1, 0));
  const glints = Array.from({ length: 7 }, () => ({
    x: sun.x + dice.between(-0.1, 0.1),
    y: y + halfWidth * dice.between(-0.35, 0.5),
    length: dice.between(0.02, 0.06),
    offset: dice.between(0, 1),
  }));
  const far = css(mix(palette.skyLow, palette.glow, 0.35));
  const near = css(mix(palette.skyMiddle, palette.water, 0.35));
  return {
    depth,
    draw(context, moment) {
      fill(context, linearGradient(context, [0, y - halfWidth, 0, y + halfWidth], { 0: far, 1: near }), shore);
      context.clip(shore);
      for (const glint of glints) {
        const strength = 0.5 + 0.5 * moment.wave(0.5, glint.offset);
        context.fillStyle = css(palette.sun, 0.6 * strength * palette.sunStrength);
        context.fillRect(glint.x - glint.length * strength, glint.y, 2 * glint.length * strength, 0.003);
      }
    },
  };
}

/** Creates flowers and tufts on the ground in front of the subject, which show how near it is. */
function createMeadow(setting: Setting, top: number): Layer {
  const { stage, palette, dice } = setting;
  const depth = 1.02;
  const scroll = createScroll(setting, depth, shortestMeadow);
  const flowers = new Path2D();
  const tufts = new Path2D();
  const reach = 0.9 * (stage.height - top);
  for (let speck = 0; speck < 130 * scroll.length; speck++) {
    const nearness = dice.between(0.1, 1);
    const x = dice.between(0, scroll.length);
    const y = top + 0.03 + reach * nearness ** 1.5;
    const size = 0.0016 + 0.0034 * nearness;
    if (dice.chance(0.3)) {
      addDisc(flowers, x, y, size);
    } else {
      tufts.moveTo(x - size, y);
      tufts.lineTo(x - 0.3 * size, y - 4 * size);
      tufts.lineTo(x + 0.8 * size, y);
    }
  }
  const flowerColour = css(
    mix(palette.land, palette.lit(colour(0.93, 0.06, 90)), palette.coverAmount === 1 ? 0.1 : 0.6),
  );
  const tuftColour = css(mix(palette.land, palette.ink, 0.35));
  const drawSpecks = createSprite(
    setting.pixelsPerUnit,
    { left: 0, top, width: scroll.length, height: reach + 0.04 },
    (context) => {
      fill(context, tuftColour, tufts);
      fill(context, flowerColour, flowers);
    },
  );
  return { depth, draw: (context, moment) => scroll.draw(context, moment, () => drawSpecks(context)) };
}
