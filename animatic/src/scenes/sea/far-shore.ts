import { Path2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import { addFirs } from '../../drawing/firs.ts';
import type { Layer } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { linearGradient, stroke } from '../../drawing/paint.ts';
import { createReflection } from '../../drawing/reflection.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createCastle } from '../features/castle.ts';
import { createFarSails } from './far-sails.ts';
import { createLighthouse } from './lighthouse.ts';

interface Land {
  from: number;
  to: number;
  /** Returns the height above the horizon, in units. */
  heightAt: (x: number) => number;
  depth: number;
  firs: number;
}

const depthOfReflections = 0.24;

/** Creates one of these on the horizon: islands, a headland with a lighthouse, a range behind a lake, or only sails. */
export function createFarShore(setting: Setting): Layer[] {
  const { dice, storyboard } = setting;
  // A paper boat is on a pond or a lake: a lighthouse and other sails would make it as large as a ship.
  const isPond = storyboard.features.includes('paperBoat');
  const open = dice.pick(['islands', 'islands', 'headland', 'headland', 'range', 'sails']);
  const kind = isPond ? 'range' : open;
  if (storyboard.features.includes('lighthouse') || storyboard.features.includes('castle')) {
    return createNamedHeadland(setting);
  }
  if (kind === 'sails') return createFarSails(setting);
  if (kind === 'range') {
    const { stage } = setting;
    const land = { from: stage.left, to: stage.right, depth: 0.07, firs: 0 };
    const far = createNoise(dice, { period: 1.6, octaves: 4, isRidged: true });
    const near = createNoise(dice, { period: 2.1, octaves: 3 });
    const middle = stage.width / 2;
    // The land is highest at the sides, so that the middle stays open.
    const sides = (x: number) => 0.35 + 0.65 * Math.min(1, Math.abs(x - middle) / middle) ** 1.4;
    return [
      ...createLand(setting, { ...land, heightAt: (x) => sides(x) * (0.085 + 0.05 * far(x)) }),
      ...createLand(setting, {
        ...land,
        depth: 0.11,
        firs: 0.016,
        heightAt: (x) => sides(x) * (0.03 + 0.028 * near(x)),
      }),
    ];
  }
  return kind === 'headland' ? createHeadland(setting) : createIslands(setting);
}

function createIslands(setting: Setting): Layer[] {
  const { stage, dice, sun } = setting;
  const count = 2 + Math.round(stage.width * dice.between(0.3, 1));
  return Array.from({ length: count }, (_, index): Layer[] => {
    const width = dice.between(0.12, 0.42);
    const height = width * dice.between(0.12, 0.26);
    const slot = (stage.width + 0.2) / count;
    const randomX = slot * (index + dice.between(0.1, 0.9)) - 0.1;
    // No island is below the sun, so that its path begins on open water.
    const away = randomX - sun.x;
    const middle =
      Math.abs(away) < width / 2 + 0.05
        ? sun.x + Math.sign(away || 1) * (width / 2 + dice.between(0.06, 0.2))
        : randomX;
    const top = dice.between(-0.35, 0.35);
    const rough = createNoise(dice, { period: width * 2.3, octaves: 3 });
    return createLand(setting, {
      from: middle - width / 2,
      to: middle + width / 2,
      depth: 0.06 + (0.05 * index) / count,
      firs: dice.chance(0.6) ? 0.02 : 0,
      heightAt: (x) => {
        const along = (x - middle) / (width / 2);
        const bent = along < top ? (along - top) / (1 + top) : (along - top) / (1 - top);
        return height * Math.max(0, 1 - Math.abs(bent) ** 1.7) * (0.85 + 0.4 * rough(x));
      },
    });
  }).flat();
}

/** Creates land that comes in from the side away from the sun and ends in a cliff. */
function createHeadland(setting: Setting): Layer[] {
  const { stage, dice, sun } = setting;
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const edge = side === 1 ? stage.right : stage.left;
  const tip = (side === 1 ? stage.width : 0) - side * stage.width * dice.between(0.13, 0.24);
  const rough = createNoise(dice, { period: 0.8, octaves: 4 });
  const tall = dice.between(0.07, 0.11);
  const heightAt = (x: number) => {
    const inland = side * (x - tip);
    return inland < 0
      ? 0
      : Math.min(1, inland / 0.035) ** 0.7 * (0.55 * tall + 0.32 * Math.max(0, inland) * tall * 6 + 0.022 * rough(x));
  };
  const [from, to] = side === 1 ? [tip - 0.01, edge] : [edge, tip + 0.01];
  const layers = createLand(setting, { from, to, depth: 0.1, firs: dice.chance(0.5) ? 0.026 : 0, heightAt });
  const foot = tip + side * 0.075;
  layers.push(
    createLighthouse(setting, {
      x: foot,
      y: stage.horizon - heightAt(foot) + 0.008,
      height: dice.between(0.13, 0.17),
      depth: 0.101,
    }),
  );
  return layers;
}

/** Creates a headland that is near enough for the lighthouse and the castle that the prompt names. */
function createNamedHeadland(setting: Setting): Layer[] {
  const { stage, dice, sun, storyboard } = setting;
  const hasCastle = storyboard.features.includes('castle');
  const hasLighthouse = storyboard.features.includes('lighthouse');
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const edge = side === 1 ? stage.right : stage.left;
  // A tall frame has more sky to fill, and a wide one more sea.
  const scale = Math.min(1, 0.62 * stage.width) * stage.height ** 0.4;
  const tip = (side === 1 ? stage.width : 0) - side * (hasCastle ? 0.66 : 0.5) * Math.min(1.1, stage.width);
  const rough = createNoise(dice, { period: 0.8, octaves: 4 });
  const tall = 0.075 * scale;
  const heightAt = (x: number) => {
    const inland = side * (x - tip);
    if (inland < 0) return 0;
    const cliff = Math.min(1, inland / 0.05) ** 0.6;
    return cliff * (tall * (0.8 + 0.9 * Math.min(1, inland / 0.7)) + 0.016 * rough(x));
  };
  const [from, to] = side === 1 ? [tip - 0.01, edge] : [edge, tip + 0.01];
  const layers = createLand(setting, { from, to, depth: 0.112, firs: 0.024, heightAt });
  const footAt = (inland: number) => ({
    x: tip + side * inland,
    y: stage.horizon - heightAt(tip + side * inland) + 0.012,
  });
  if (hasLighthouse) {
    const height = (hasCastle ? 0.24 : 0.34) * scale;
    layers.push(createLighthouse(setting, { ...footAt(0.14 * scale), height, depth: 0.114 }));
  }
  if (hasCastle) {
    const place = footAt(hasLighthouse ? 0.5 * scale : 0.32 * scale);
    layers.push(createCastle(setting, { ...place, size: 0.36 * scale, rise: 0.05, depth: 0.113 }));
  }
  return layers;
}

function createLand(setting: Setting, { from, to, heightAt, depth, firs }: Land): Layer[] {
  const { stage, palette, dice, sun } = setting;
  const step = 0.008;
  const outline = [{ x: from, y: 0 }];
  for (let x = from; x <= to; x += step) outline.push({ x, y: -heightAt(x) });
  outline.push({ x: to, y: 0 });
  const ground = new Path2D();
  for (const { x, y } of outline) ground.lineTo(x, stage.horizon + y);
  ground.lineTo(to, stage.horizon + 0.02);
  ground.lineTo(from, stage.horizon + 0.02);
  // The land is green above, and bare rock where the waves reach.
  const green = new Path2D();
  const bare = createNoise(dice, { period: 0.5, octaves: 3 });
  for (const { x, y } of outline) green.lineTo(x, stage.horizon + y);
  for (const { x, y } of outline.toReversed()) green.lineTo(x, stage.horizon + y * (0.5 + 0.22 * bare(x)));
  if (firs > 0) {
    const topAt = (x: number) => stage.horizon - heightAt(x);
    addFirs(green, { dice, from: from + 0.04, to: to - 0.04, height: firs, density: 0.55, topAt });
  }
  const air = 0.36 + 2.4 * depth;
  const tone = palette.far(mix(palette.foliage, palette.rock, 0.75), air);
  const sunny = css(mix(tone, palette.glow, 0.22 * palette.sunStrength));
  const shaded = css(mix(tone, palette.ink, 0.14));
  const leaves = palette.coverAmount === 1 ? palette.cover : mix(palette.foliage, palette.ink, 0.12);
  const leafTone = palette.far(leaves, air);
  const leafSunny = css(mix(leafTone, palette.glow, 0.2 * palette.sunStrength));
  const leafShaded = css(mix(leafTone, palette.ink, 0.14));
  // A pale line where the sea meets it.
  const surf = css(mix(tone, palette.skyLow, 0.6), 0.8);
  const mirror = createReflection([{ outline, tone: css(mix(lighten(tone, -0.03), palette.water, 0.25), 0.62) }], {
    depth: Math.max(0.02, 0.75 * Math.max(...outline.map(({ y }) => -y))),
    rows: 9,
    squash: 1.3,
    wobble: 0.008,
  });
  return [
    {
      depth,
      draw(context) {
        for (const [path, light, shadow] of [
          [ground, sunny, shaded],
          [green, leafSunny, leafShaded],
        ] as const) {
          context.fillStyle = linearGradient(context, [sun.x, 0, sun.x < (from + to) / 2 ? to : from, 0], {
            0: light,
            1: shadow,
          });
          context.fill(path);
        }
        stroke(context, surf, 0.003, () => {
          context.moveTo(from, stage.horizon);
          context.lineTo(to, stage.horizon);
        });
      },
    },
    {
      depth: depthOfReflections,
      draw(context, moment) {
        context.translate(0, stage.horizon);
        mirror(context, moment);
      },
    },
  ];
}
