import { Path2D } from '@napi-rs/canvas';
import { type Colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill, linearGradient } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Ground {
  depth: number;
  /** The y of its top, and how far its outline rises and falls. */
  top: number;
  rise: number;
  isRugged?: boolean | undefined;
  craters: number;
  tone: Colour;
  deep: Colour;
}

/** Creates ground of dust and craters with a sunlit edge, as on a moon without air. */
export function createMoonGround(
  setting: Setting,
  { depth, top, rise, isRugged = false, craters, tone, deep }: Ground,
): Layer {
  const { stage, dice, sun } = setting;
  const scroll = createScroll(setting, depth, stage.width);
  const curve = createNoise(dice, { period: scroll.length, octaves: isRugged ? 5 : 3, isRidged: isRugged });
  const topAt = (x: number) => top - rise * curve(x);
  const groundBetween = (from: number, to: number) => {
    const path = new Path2D();
    path.moveTo(from, stage.bottom + 0.4);
    for (let x = from; x <= to; x += 0.01) path.lineTo(x, topAt(x));
    path.lineTo(to, stage.bottom + 0.4);
    return path;
  };
  // The lit edge is the same ground a little higher. It is shorter, because it would show where two bands meet.
  const ground = groundBetween(-0.03, scroll.length + 0.03);
  const edge = groundBetween(-0.01, scroll.length + 0.01);
  const sunward = sun.x < stage.width / 2 ? -1 : 1;
  const { bowls, floors } = createCraters();
  const lit = css(lighten(tone, 0.12));
  const pit = css(mix(tone, deep, 0.5));
  const rim = css(lighten(tone, 0.08));
  return {
    depth,
    draw(context, moment) {
      const gradient = linearGradient(context, [0, top - rise, 0, Math.max(top + 0.3, stage.height + 0.1)], {
        0: tone,
        1: mix(tone, deep, 0.8),
      });
      scroll.draw(context, moment, () => {
        fill(context, lit, edge);
        context.translate(-sunward * 0.003, 0.005);
        fill(context, gradient, ground);
        fill(context, rim, bowls);
        fill(context, pit, floors);
      });
    },
  };

  function createCraters(): { bowls: Path2D; floors: Path2D } {
    const bowls = new Path2D();
    const floors = new Path2D();
    for (let crater = 0; crater < craters * scroll.length; crater++) {
      const down = dice.between(0.02, 1) ** 1.4;
      const x = dice.between(0.1, scroll.length - 0.1);
      const y = topAt(x) + 0.02 + down * (stage.height - top);
      // Craters lower in the picture are nearer, so they are larger and seen more from above.
      const size = dice.between(0.012, 0.034) * (0.6 + 2.2 * down);
      const flat = 0.22 + 0.14 * down;
      bowls.moveTo(x + size, y);
      bowls.ellipse(x, y, size, size * flat, 0, 0, 2 * Math.PI);
      floors.moveTo(x + sunward * 0.12 * size + size * 0.86, y + 0.12 * size);
      floors.ellipse(
        x + sunward * 0.12 * size,
        y + 0.12 * size * flat,
        size * 0.86,
        size * flat * 0.84,
        0,
        0,
        2 * Math.PI,
      );
    }
    return { bowls, floors };
  }
}
