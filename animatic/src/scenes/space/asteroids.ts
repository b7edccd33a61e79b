import { Path2D } from '@napi-rs/canvas';
import { type Colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { drawAt, fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates tumbling rocks that float across a corner, each with a sunlit side. */
export function createAsteroids(
  setting: Setting,
  { depth, tone, deep }: { depth: number; tone: Colour; deep: Colour },
): Layer {
  const { stage, dice, sun } = setting;
  const sunward = sun.x < stage.width / 2 ? -1 : 1;
  const count = Math.round(11 + 5 * stage.width);
  const rocks = Array.from({ length: count }, (_, index) => {
    const along = (index + dice.between(0, 1)) / count;
    const spread = dice.between(-1, 1) * dice.between(0.2, 1);
    const size = 0.005 + 0.032 * dice.between(0, 1) ** 3;
    const points = Array.from({ length: 9 }, (_, point) => {
      const angle = (2 * Math.PI * (point + dice.between(-0.25, 0.25))) / 9;
      const reach = size * dice.between(0.72, 1.15);
      return { x: reach * Math.cos(angle) * 1.25, y: reach * Math.sin(angle) };
    });
    const body = new Path2D();
    for (const { x, y } of points) body.lineTo(x, y);
    body.closePath();
    return {
      x: stage.left + along * (stage.right - stage.left),
      // The belt slopes down away from the sun's side.
      y: stage.height * (0.87 - sunward * 0.16 * (along - 0.5)) + 0.1 * spread,
      body,
      size,
      lag: dice.between(0, 1),
      spin: dice.between(0.15, 0.5) * dice.sign(),
    };
  });
  const lit = css(lighten(tone, 0.1));
  const shade = css(mix(tone, deep, 0.72));
  return {
    depth,
    draw(context, moment) {
      for (const { x, y, body, size, lag, spin } of rocks) {
        drawAt(context, { x: x + 0.03 * moment.wave(0.12, lag * 0.2), y: y + 0.008 * moment.wave(0.2, lag) }, () => {
          context.fillStyle = lit;
          const turn = spin * moment.wave(0.12, lag);
          context.rotate(turn);
          context.fill(body);
          context.clip(body);
          context.rotate(-turn);
          context.translate(-sunward * 0.4 * size, 0.42 * size);
          context.rotate(turn);
          fill(context, shade, body);
        });
      }
    },
  };
}
