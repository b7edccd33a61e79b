import { Path2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates floes that drift on the sea in winter: flat, with an edge of older, bluer ice. */
export function createIce({ stage, palette, dice }: Setting, openLine: number): Layer[] {
  const below = stage.height - stage.horizon;
  const rows = [0.05, 0.11, 0.2, 0.68, 0.95].map((near) => ({ near: near * dice.between(0.85, 1.15) }));
  const face = mix(palette.cover, palette.skyLow, palette.isDay ? 0.1 : 0.45);
  const top = css(face);
  const edge = css(mix(lighten(face, -0.08), palette.water, 0.4));
  const shadow = css(mix(palette.water, palette.ink, 0.3), 0.4);
  return rows.flatMap(({ near }): Layer[] => {
    const y = stage.horizon + near * below;
    if (Math.abs(y - openLine) < 0.05) return [];
    const size = 0.03 + 0.15 * near;
    const faces = new Path2D();
    const edges = new Path2D();
    const shadows = new Path2D();
    for (let x = stage.left; x < stage.right; x += size * dice.between(2.4, 7)) {
      const half = size * dice.between(0.35, 1);
      const flat = half * dice.between(0.16, 0.24);
      const place = y + size * dice.between(-0.3, 0.3);
      const points = Array.from({ length: 9 }, (_, index) => {
        const angle = (index / 9) * 2 * Math.PI;
        const reach = dice.between(0.78, 1.08);
        return { x: x + half * reach * Math.cos(angle), y: place + flat * reach * Math.sin(angle) };
      });
      for (const [path, drop] of [
        [faces, 0],
        [edges, 0.22 * flat + 0.004],
        [shadows, 0.75 * flat + 0.006],
      ] as const) {
        for (const [index, point] of points.entries()) path[index === 0 ? 'moveTo' : 'lineTo'](point.x, point.y + drop);
        path.closePath();
      }
    }
    const beat = dice.between(0, 1);
    return [
      {
        depth: 0.2 + 0.34 * near,
        draw(context, moment) {
          context.translate(0.02 * near * moment.wave(0.2, beat), 0.012 * near * moment.wave(0.28, beat - 0.25));
          fill(context, shadow, shadows);
          fill(context, edge, edges);
          fill(context, top, faces);
        },
      },
    ];
  });
}
