import { Path2D } from '@napi-rs/canvas';
import type { SceneName, SeasonName } from '../storyboard/vocabulary.ts';
import { type Colour, colour, css, mix } from './colour.ts';
import { createFall } from './falling.ts';
import type { Layer } from './layer.ts';
import { drawAt } from './paint.ts';
import type { Setting } from './setting.ts';

interface Drift {
  /** The number of things in the air per square unit. */
  perUnit: number;
  /** In units. */
  size: number;
  /** In units per second. */
  speed: number;
  /** Units sideways per unit down. */
  slant: number;
  flutter: number;
  shape(): Path2D;
  materials: readonly [Colour, Colour];
}

const drifts: Record<SeasonName, Drift> = {
  spring: {
    perUnit: 9,
    size: 0.011,
    speed: 0.15,
    slant: 0.7,
    flutter: 0.08,
    shape: petal,
    materials: [colour(0.9, 0.06, 355), colour(0.82, 0.1, 5)],
  },
  summer: {
    perUnit: 10,
    size: 0.0022,
    speed: 0.05,
    slant: 1.2,
    flutter: 0.1,
    shape: mote,
    materials: [colour(0.96, 0.05, 95), colour(0.98, 0.03, 90)],
  },
  autumn: {
    perUnit: 5,
    size: 0.016,
    speed: 0.2,
    slant: 0.5,
    flutter: 0.12,
    shape: leaf,
    materials: [colour(0.66, 0.17, 48), colour(0.76, 0.15, 78)],
  },
  winter: {
    perUnit: 26,
    size: 0.0034,
    speed: 0.14,
    slant: 0.25,
    flutter: 0.05,
    shape: mote,
    materials: [colour(0.98, 0.01, 240), colour(0.95, 0.02, 240)],
  },
};

/** Scenes in which things drift by chance; elsewhere they drift only if the prompt names the season. */
const scenesWithPlants: readonly SceneName[] = ['forest', 'mountains', 'city', 'town'];

/** Creates what drifts through the air in a season; `isNamed` says whether the prompt names the season. */
export function createSeasonDrift(setting: Setting, isNamed: boolean): Layer[] {
  const { storyboard, dice, stage, palette } = setting;
  const { scene, weather, season } = storyboard;
  const isWanted = dice.chance(0.4) && scenesWithPlants.includes(scene) && !palette.isNight;
  if (scene === 'space' || scene === 'abstract') return [];
  if (weather === 'rain' || weather === 'storm' || weather === 'snow') return [];
  if (!isWanted && !isNamed) return [];
  const wind = dice.sign();
  const drift = drifts[season];
  const amount = isNamed ? 1.6 : 1;
  const depths = [
    { depth: 0.8, scale: 0.7, share: 0.6 },
    { depth: 1.35, scale: 1.25, share: 0.4 },
  ];
  return depths.flatMap(({ depth, scale, share }) =>
    drift.materials.map((material): Layer => {
      const count =
        (amount * share * drift.perUnit * (stage.right - stage.left) * (stage.bottom - stage.top)) /
        drift.materials.length;
      const speed = drift.speed * scale;
      const fall = createFall(setting, { count, speed, slant: wind * drift.slant, flutter: drift.flutter });
      const shape = drift.shape();
      const tone = css(toneOf(setting, material), 0.92);
      return {
        depth,
        draw(context, moment) {
          context.fillStyle = tone;
          fall.each(context, moment, ({ x, y, nature, fallen }) => {
            const turn = 2 * Math.PI * (nature + (2 + 3 * nature) * fallen);
            const size = drift.size * scale * (0.7 + 0.6 * nature);
            drawAt(context, { x, y, angle: turn }, () => {
              // It tumbles, so it looks now broad, now thin.
              context.scale(size, size * (0.35 + 0.65 * Math.abs(Math.sin(2.3 * turn))));
              context.fill(shape);
            });
          });
        },
      };
    }),
  );
}

/** Returns the tone of small things in the air, which catch the light of the sun. */
function toneOf({ palette }: Setting, material: Colour): Colour {
  return mix(palette.lit(material), material, palette.isDay ? 0.3 : 0.22);
}

/** A heart-shaped petal with a notch at its tip, about 2 long and centred on the origin. */
function petal(): Path2D {
  const path = new Path2D();
  path.moveTo(-1, 0);
  path.bezierCurveTo(-0.4, -0.85, 0.7, -0.8, 0.95, -0.3);
  path.lineTo(0.72, 0);
  path.lineTo(0.95, 0.3);
  path.bezierCurveTo(0.7, 0.8, -0.4, 0.85, -1, 0);
  path.closePath();
  return path;
}

/** A pointed leaf with its stalk. */
function leaf(): Path2D {
  const path = new Path2D();
  path.moveTo(-1.35, 0.06);
  path.lineTo(-0.8, -0.03);
  path.bezierCurveTo(-0.45, -0.75, 0.35, -0.65, 1, 0);
  path.bezierCurveTo(0.35, 0.5, -0.4, 0.6, -0.8, 0.05);
  path.closePath();
  return path;
}

function mote(): Path2D {
  const path = new Path2D();
  path.arc(0, 0, 1, 0, 2 * Math.PI);
  return path;
}
