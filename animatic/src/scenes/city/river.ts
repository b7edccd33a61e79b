import { Path2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw, Layer } from '../../drawing/layer.ts';
import { drawAt, fill, fillRect, linearGradient, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

interface River {
  depth: number;
  /** The y of the far bank, and the y where the near bank hides the water. */
  top: number;
  bottom: number;
  /** Draws the far bank, which is mirrored in the water. */
  drawBank: Draw;
}

/** How much a reflection is compressed, because the camera looks down on the water at an angle. */
const squeeze = 0.62;
const rows = 9;

/** Creates calm water that mirrors the far bank, broken by slow ripples. */
export function createRiver(setting: Setting, { depth, top, bottom, drawBank }: River): Layer {
  const { stage, palette, dice, sun } = setting;
  const span = stage.right - stage.left;
  const deep = mix(mix(palette.water, palette.skyTop, 0.4), palette.ink, 0.2);
  const ripples = Array.from({ length: rows }, (_, row) => {
    const along = (row + 0.5) / rows;
    const path = new Path2D();
    const width = 0.05 + 0.12 * along;
    for (let x = stage.left - 0.1; x < stage.right; x += width * dice.between(1.2, 3.4)) {
      path.ellipse(x, 0, width * dice.between(0.35, 0.7), 0.0015 + 0.003 * along, 0, 0, 2 * Math.PI);
      path.closePath();
    }
    return { y: top + (bottom - top) * along ** 1.25, path, along };
  });
  const glints = new Path2D();
  for (let glint = 0; glint < 40; glint++) {
    const along = dice.between(0.02, 1);
    const width = (0.02 + 0.03 * along) * dice.between(0.5, 1);
    glints.rect(
      sun.x + dice.between(-0.05, 0.05) * (0.6 + along) - width / 2,
      top + (bottom - top) * along,
      width,
      0.003,
    );
  }
  const quay = css(mix(palette.ink, palette.haze, 0.62));
  return {
    depth,
    draw(context, moment) {
      context.fillStyle = linearGradient(context, [0, top, 0, bottom], {
        0: mix(palette.skyLow, deep, 0.42),
        1: mix(palette.skyMiddle, deep, 0.8),
      });
      context.fillRect(stage.left, top, span, bottom - top);
      within(
        context,
        () => context.rect(stage.left, top, span, bottom - top),
        () => {
          context.globalAlpha = 0.5;
          context.transform(1, 0, 0, -squeeze, 0, top * (1 + squeeze));
          drawBank(context, moment);
        },
      );
      for (const { y, path, along } of ripples) {
        drawAt(context, { x: 0.03 * (0.4 + along) * moment.wave(0.2, along * 1.7), y }, () => {
          fill(context, css(along > 0.55 ? lighten(deep, 0.04) : mix(palette.skyLow, deep, 0.3), 0.5), path);
        });
      }
      context.fillStyle = css(
        mix(palette.sun, palette.glow, 0.3),
        0.7 * palette.sunStrength * (0.8 + 0.2 * moment.wave(0.8)),
      );
      context.fill(glints);
      fillRect(context, quay, stage.left, top - 0.008, span, 0.009);
    },
  };
}
