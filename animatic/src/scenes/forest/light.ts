import { Path2D } from '@napi-rs/canvas';
import { createBackdrop } from '../../drawing/backdrop.ts';
import { css, mix } from '../../drawing/colour.ts';
import { addFir } from '../../drawing/firs.ts';
import type { Layer } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill, radialGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { TreeKind } from './trees.ts';

/** Where the wood opens and the light comes in. */
export interface Glade {
  x: number;
  y: number;
  halfWidth: number;
}

/** Creates the glow in the middle of the wood, and the green dusk under the leaves around it. */
export function createGladeLight(setting: Setting, glade: Glade): Layer {
  const { stage, palette } = setting;
  const veil = mix(palette.haze, palette.foliage, 0.3);
  const reach = 0.75 * Math.max(stage.width, stage.height);
  return {
    depth: 0.12,
    draw: createBackdrop(setting, (context) => {
      context.fillStyle = radialGradient(context, [glade.x, glade.y, 0.1, glade.x, glade.y, reach], {
        0: css(mix(palette.skyLow, palette.glow, 0.6), 0.9),
        0.3: css(mix(palette.skyLow, veil, 0.4), 0.72),
        1: css(mix(veil, palette.ink, 0.25), 0.85),
      });
      context.fillRect(stage.left, stage.top, stage.right - stage.left, stage.bottom - stage.top);
    }),
  };
}

/** Creates the wall of trees at the end of the glade, hardly more than a shadow in the light. */
export function createFarWood(setting: Setting, glade: Glade, kind: TreeKind): Layer {
  const { stage, palette, dice } = setting;
  const path = new Path2D();
  const foot = stage.horizon + 0.05;
  const curve = createNoise(dice, { period: 1.7, octaves: 2 });
  const topAt = (x: number) => {
    const aside = Math.min(1.4, Math.abs(x - glade.x) / (2.2 * glade.halfWidth));
    return foot - (0.13 + 0.2 * aside * aside) * (1 + 0.35 * curve(x));
  };
  path.moveTo(stage.left, stage.bottom);
  path.lineTo(stage.left, topAt(stage.left));
  const tops = new Path2D();
  for (let x = stage.left; x < stage.right; ) {
    // Small and large crowns side by side; only the tops of conifers stand out.
    const next = x + 0.03 + 0.1 * dice.between(0, 1) ** 2;
    const rise = kind === 'conifer' ? 0 : dice.between(0.25, 0.65) * (next - x);
    path.bezierCurveTo(x, topAt(x) - 1.2 * rise, next - 0.2 * (next - x), topAt(next) - rise, next, topAt(next));
    if (kind === 'conifer') addFir(tops, x, topAt(x) + 0.06, dice.between(0.1, 0.2));
    x = next;
  }
  path.lineTo(stage.right, stage.bottom);
  path.closePath();
  const tone = css(mix(mix(palette.far(palette.foliage, 0.16), palette.glow, 0.2), palette.skyLow, 0.2));
  return {
    depth: 0.16,
    draw(context) {
      fill(context, tone, path);
      if (kind === 'conifer') context.fill(tops);
    },
  };
}

/** Creates shafts of light from the sun's side, which brighten and fade as leaves move in front of the sun. */
export function createRays(setting: Setting, glade: Glade): Layer {
  const { stage, palette, dice, sun } = setting;
  const origin = { x: sun.x + 0.5 * (sun.x - glade.x), y: Math.min(sun.y, 0.1) - 0.35 };
  const reach = stage.horizon + 0.75 - origin.y;
  const strength = palette.sunStrength * (palette.isNight ? 0.18 : 0.5);
  const backdrop = createBackdrop(setting, (context) => {
    const towards = Math.atan2(stage.horizon - origin.y, stage.width / 2 - origin.x);
    for (let ray = 0; ray < 9; ray++) {
      const angle = towards + (ray / 8 - 0.5) * 1.5 + dice.between(-0.06, 0.06);
      const half = dice.between(0.012, 0.045);
      const gradient = context.createRadialGradient(
        origin.x,
        origin.y,
        0.2 * reach,
        origin.x,
        origin.y,
        reach * dice.between(0.85, 1.15),
      );
      const alpha = strength * dice.between(0.35, 1);
      gradient.addColorStop(0, css(palette.glow, alpha));
      gradient.addColorStop(0.5, css(palette.glow, 0.7 * alpha));
      gradient.addColorStop(1, css(palette.glow, 0));
      fill(context, gradient, () => {
        context.moveTo(origin.x, origin.y);
        context.lineTo(origin.x + 3 * Math.cos(angle - half), origin.y + 3 * Math.sin(angle - half));
        context.lineTo(origin.x + 3 * Math.cos(angle + half), origin.y + 3 * Math.sin(angle + half));
      });
    }
  });
  return {
    depth: 0.56,
    draw(context, moment) {
      context.globalAlpha = 0.8 + 0.2 * moment.wave(0.22);
      backdrop(context);
    },
  };
}
