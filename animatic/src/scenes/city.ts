import type { Layer } from '../drawing/layer.ts';
import { createNoise } from '../drawing/noise.ts';
import type { Setting } from '../drawing/setting.ts';
import { isInStreet } from '../subjects/boat/is-in-street.ts';
import { createBridge } from './city/bridge.ts';
import { createCityForeground } from './city/foreground.ts';
import { createRiver } from './city/river.ts';
import { createSkyline } from './city/skyline.ts';
import type { CityCharacter } from './city/skyline-row.ts';
import { createStreet } from './city/street.ts';
import { createCastle } from './features/castle.ts';
import { airAbove, isAfloat, type Scene, type SceneDrawing } from './scene.ts';

/** A modern city. */
export const city: Scene = { hasSky: true, create: (setting) => createCity(setting, 'modern') };

/** Creates rows of houses that fade into the haze, with a river or a street in front of them, and a near foreground. */
export function createCity(setting: Setting, character: CityCharacter): SceneDrawing {
  const { stage, dice } = setting;
  const below = stage.height - stage.horizon;
  const isOnRiver = isAfloat(setting);
  // Neon signs are in a street, where the houses are near.
  const hasRiver = (dice.chance(0.5) && !setting.storyboard.features.includes('neon')) || isOnRiver;
  const ground = stage.horizon + (isOnRiver ? 0.85 : 0.62) * below;
  const bank = stage.horizon + 0.14 * below;
  // A boat on the river, at depth 1, must be behind the street and its lamps.
  const streetDepth = isOnRiver ? 1.06 : 0.98;
  const quarter = createQuarter(setting, character, { isBank: hasRiver, foot: hasRiver ? bank : ground - 0.044 });

  const layers: Layer[] = [...quarter.layers, createStreet(setting, { depth: streetDepth, ground, isQuay: hasRiver })];
  if (hasRiver)
    layers.push(
      createRiver(setting, { depth: 0.561, top: bank, bottom: ground, drawBank: quarter.front.drawReflection }),
    );
  // There is no bridge if the houses pass by, because it would not move with them.
  if (hasRiver && setting.travel === 0 && dice.chance(0.6))
    layers.push(createBridge(setting, { depth: 0.57, water: bank, character }));
  if (setting.storyboard.features.includes('castle')) layers.push(createTownCastle(setting));
  layers.push(createCityForeground(setting, ground));
  return {
    layers,
    ground,
    water: hasRiver && !isInStreet(setting.storyboard) ? bank + 0.66 * (ground - bank) : null,
    air: airAbove(stage),
  };
}

/** Creates a castle on a hill above the roofs, on the side away from the sun. */
function createTownCastle(setting: Setting): Layer {
  const { stage, sun } = setting;
  const scale = Math.min(1, 0.75 * stage.width) * Math.max(1, stage.horizon / 0.78);
  return createCastle(setting, {
    x: stage.width * (sun.x > stage.width / 2 ? 0.3 : 0.7),
    y: stage.horizon + 0.03,
    size: 0.34 * scale,
    rise: 0.2 * scale,
    depth: 0.2,
  });
}

interface RowOptions {
  size: number;
  /** The height of the tallest houses, as a fraction of the city's tallest. */
  reach: number;
  /** The height of the lowest houses, as a fraction of the tallest. */
  low: number;
  windowPitch: number;
  hasCrane?: boolean;
  hasShops?: boolean;
}

/** Creates the houses, from far to near. The tallest are in one place, which attracts the eye. */
function createQuarter(
  setting: Setting,
  character: CityCharacter,
  { isBank, foot: frontFoot }: { isBank: boolean; foot: number },
) {
  const { stage, dice, sun } = setting;
  const isModern = character === 'modern';
  // A tall frame has taller and larger houses; an old town stays low.
  const scale = Math.max(1, stage.horizon / 0.78);
  const reach = isModern ? stage.horizon * 0.62 : 0.24 * scale;
  const centre = stage.width * (sun.x > stage.width / 2 ? dice.between(0.24, 0.42) : dice.between(0.58, 0.76));
  const spread = dice.between(0.22, 0.34) * Math.max(1, stage.width * 0.8);
  const crowd = (x: number, low: number) => low + (1 - low) * Math.exp(-(((x - centre) / spread) ** 2));
  const wander = createNoise(dice, { period: stage.right - stage.left, octaves: 3 });
  const row = (depth: number, foot: number, options: RowOptions) =>
    createSkyline(setting, {
      character,
      depth,
      foot,
      ...options,
      size: options.size * (isModern ? 1 : scale),
      heightAt: (x) => reach * options.reach * crowd(x, options.low) * (1 + 0.3 * wander(x * (1 + depth))),
    });
  const base = stage.horizon + 0.05;
  const far = row(0.12, base, { size: 0.06, reach: 1, low: 0.4, windowPitch: 0 });
  const middle = row(0.3, base, {
    size: isModern ? 0.085 : 0.08,
    reach: 0.86,
    low: 0.3,
    windowPitch: 0.016,
    hasCrane: isModern && dice.chance(0.5),
  });
  const front = row(0.56, frontFoot, {
    size: isModern ? 0.14 : 0.13,
    reach: 0.5 + (frontFoot - base) / reach,
    low: 0.62,
    windowPitch: isModern ? 0.024 : 0.03,
    hasShops: !isBank,
  });
  const layers: Layer[] = [
    { depth: 0.12, draw: far.draw },
    { depth: 0.3, draw: middle.draw },
    { depth: 0.56, draw: front.draw },
  ];
  return { layers, front };
}
