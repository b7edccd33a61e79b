import { Path2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import { createNoise } from '../drawing/noise.ts';
import { createScroll } from '../drawing/scroll.ts';
import type { Setting } from '../drawing/setting.ts';
import { createFloatingLights } from './forest/floating-lights.ts';
import { createForestFloor } from './forest/floor.ts';
import { createFarWood, createGladeLight, createRays, type Glade } from './forest/light.ts';
import { addBareBranch, addBough, addLeafCluster, type TreeKind } from './forest/trees.ts';
import { addFern } from './forest/undergrowth.ts';
import { createWood, isBare } from './forest/wood.ts';
import type { Scene } from './scene.ts';

/** The inside of a forest: trunks behind each other that fade into the light of a glade, to which a path leads. */
export const forest: Scene = {
  hasSky: true,
  create(setting) {
    const { stage, dice, sun } = setting;
    const below = stage.height - stage.horizon;
    const ground = stage.horizon + 0.58 * below;
    const kind = dice.pick<TreeKind>(['conifer', 'birch', 'broadleaf', 'broadleaf']);
    const glade: Glade = {
      x: sun.x + 0.35 * (stage.width / 2 - sun.x),
      y: stage.horizon - 0.1,
      halfWidth: dice.between(0.14, 0.22) * (0.6 + 0.4 * stage.width),
    };
    const isStream = dice.chance(0.4);
    return {
      layers: [
        createGladeLight(setting, glade),
        createFarWood(setting, glade, kind),
        createWood(setting, glade, kind, { depth: 0.3, floor: 0.06, width: 0.022, gap: 0.085 }),
        createWood(setting, glade, kind, { depth: 0.46, floor: 0.13, width: 0.038, gap: 0.15 }),
        createRays(setting, glade),
        createWood(setting, glade, kind, { depth: 0.66, floor: 0.24, width: 0.06, gap: 0.27 }),
        createForestFloor(setting, glade, { isStream }),
        createWood(setting, glade, kind, { depth: 0.96, floor: 0.5, width: 0.1, gap: 0.55 }),
        createFloatingLights(setting, { count: 26, from: stage.horizon - 0.35, to: stage.horizon + 0.8 * below }),
        createNearEdge(setting, kind),
      ],
      ground,
      water: null,
      air: stage.horizon - 0.1 - 0.1 * stage.horizon,
    };
  },
};

/** Creates dark leaves and ferns that frame the picture at its corners, or pass by if the subject travels. */
function createNearEdge(setting: Setting, kind: TreeKind): Layer {
  const { stage, palette, dice } = setting;
  const depth = 1.6;
  const scroll = createScroll(setting, depth, 1);
  const isWide = scroll.length >= stage.right - stage.left;
  const path = new Path2D();
  const trunk = new Path2D();
  // A trunk that passes by would hide everything else.
  if (isWide && setting.travel === 0) addEdgeTrunk(trunk, setting);
  const bare = isBare(setting, kind);
  const places = isWide ? [0, stage.width] : [0.4 * scroll.length];
  for (const [index, x] of places.entries()) {
    const inward = index === 0 ? 1 : -1;
    const reach = dice.between(0.2, 0.4);
    if (bare) {
      const angle = inward > 0 ? -0.25 : Math.PI + 0.25;
      addBareBranch(path, dice, {
        start: { x: x - inward * 0.1, y: 0.16 },
        length: 0.8 * reach,
        angle,
        width: 0.018,
        forks: 3,
      });
    }
    for (let along = -0.38; along < reach; along += 0.07) {
      const y = dice.between(-0.06, 0.1) * (1 - Math.max(0, along) / reach);
      if (bare) continue;
      if (kind === 'conifer')
        addBough(path, dice, { x: x + inward * along, y, length: dice.between(0.12, 0.2), side: inward });
      else addLeafCluster(path, dice, x + inward * along, y, dice.between(0.05, 0.085));
    }
    for (let along = -0.38; along < reach; along += 0.12) {
      const size = dice.between(0.14, 0.26) * (1 - (0.5 * Math.max(0, along)) / reach);
      addFern(path, dice, x + inward * along, stage.height + 0.1, size);
    }
  }
  const tone = css(lighten(mix(palette.ink, palette.foliage, 0.08), -0.04));
  return {
    depth,
    draw(context, moment) {
      const sway = 0.008 * moment.wave(0.25);
      context.transform(1, 0, sway, 1, -sway * stage.height, 0);
      context.fillStyle = tone;
      scroll.draw(context, moment, () => {
        context.fill(path);
        context.fill(trunk);
      });
    },
  };
}

/** Adds a trunk in the foreground, on the side away from the sun. */
function addEdgeTrunk(path: Path2D, { stage, sun, dice }: Setting): void {
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const edge = side > 0 ? stage.width : 0;
  const rough = createNoise(dice, { period: 1.2, octaves: 3 });
  const inset = dice.between(-0.02, 0.05);
  path.moveTo(edge + side * 0.39, stage.top);
  for (let y = stage.top; y < stage.bottom; y += 0.06) {
    path.lineTo(edge - side * (inset + 0.02 * rough(y) + 0.06 * Math.max(0, y - stage.horizon) ** 2), y);
  }
  path.lineTo(edge + side * 0.39, stage.bottom);
  path.closePath();
}
