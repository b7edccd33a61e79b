import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import { fraction } from '../../drawing/moment.ts';
import { addDisc, fill, linearGradient, radialGradient, type Tone } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const fire = colour(0.8, 0.15, 62);
const start = 0.6;

/** Creates the puffs that a rocket leaves behind in space: hot at first, then grey and thinner along the way. */
export function createTrail({ palette, dice }: Setting, lean: number): Draw {
  const reach = 2.4;
  const back = { x: -Math.cos(lean), y: Math.sin(lean) };
  const smoke = mix(colour(0.72, 0.04, 290), palette.skyLow, 0.3);
  const shade = mix(smoke, palette.skyTop, 0.5);
  const puffs = createPuffs(dice, 20);
  return (context, moment) => {
    const circles = puffs.map(({ born, side, size }) => {
      const age = fraction(born + moment.turn(0.5));
      const along = start + reach * age;
      const spread = side * (0.015 + 0.11 * age);
      // A puff grows from nothing and shrinks to nothing, so that none appears or disappears abruptly.
      const radius = size * (0.045 + 0.13 * age ** 0.8) * Math.min(1, age * 12, (1 - age) * 4);
      return { x: along * back.x - spread * back.y, y: along * back.y + spread * back.x, radius };
    });
    const line = [start * back.x, start * back.y, (start + reach) * back.x, (start + reach) * back.y] as const;
    const thinning = (tone: Colour, alpha: number) =>
      linearGradient(context, [...line], {
        0: css(fire, 0.9),
        0.2: css(mix(tone, fire, 0.3), 0.9 * alpha),
        1: css(tone, 0),
      });
    fillAll(context, circles, { tone: thinning(shade, 0.8), shift: 0, part: 1 });
    fillAll(context, circles, { tone: thinning(smoke, 1), shift: 0.2, part: 0.72 });
  };
}

/** Creates a launch's smoke: a column that bends down from the rocket to a cloud on the ground, `drop` below it. */
export function createLaunchCloud({ palette, dice }: Setting, { lean, drop }: { lean: number; drop: number }): Draw {
  const smoke = mix(palette.lit(colour(0.94, 0.015, 70)), palette.skyLow, 0.3);
  const shade = mix(smoke, mix(palette.skyTop, palette.ink, 0.3), 0.4);
  const glow = palette.isDay ? 0.3 : 0.62;
  const tail = { x: -start * Math.cos(lean), y: start * Math.sin(lean) };
  const placeOf = (age: number) => ({
    // The column goes straight back at first, then straight down.
    x: tail.x - 1.36 * (1 - Math.exp(-2.2 * age)) * Math.cos(lean),
    y: tail.y + (drop - tail.y) * age,
  });
  const foot = placeOf(1);
  const column = createPuffs(dice, 22);
  const cloud = Array.from({ length: 20 }, (_, index) => {
    const along = ((index + dice.between(-0.4, 0.4)) / 19) * 2 - 1;
    const tall = 1 - Math.abs(along) ** 1.3;
    return {
      along,
      up: dice.between(0, 0.32) * tall,
      size: (0.1 + 0.15 * tall) * dice.between(0.7, 1.25),
      lag: dice.between(0, 1),
    };
  });

  return (context, moment) => {
    const flow = moment.turn(0.3);
    const circles = [
      ...cloud.map(({ along, up, size, lag }) => ({
        x: foot.x + along * (1.3 + 0.05 * moment.wave(0.2, lag)),
        y: foot.y + 0.06 - up - 0.5 * size,
        radius: size * (1 + 0.12 * moment.wave(0.4, lag)),
      })),
      ...column.map(({ born, side, size }) => {
        const age = fraction(born + flow);
        const { x, y } = placeOf(age);
        // A puff grows from nothing and shrinks into the cloud, so that none appears or disappears abruptly.
        const radius = size * (0.05 + 0.17 * age ** 0.8) * Math.min(1, age * 12, (1 - age) * 12);
        return { x: x + side * (0.03 + 0.1 * age), y, radius };
      }),
    ];
    // All shades are filled before all lights, so that it looks like one cloud and not like a row of balls.
    const heated = radialGradient(context, [tail.x, tail.y, 0, tail.x, tail.y, Math.max(0.5, drop * 0.95)], {
      0: mix(smoke, fire, glow),
      0.5: mix(smoke, fire, 0.3 * glow),
      1: smoke,
    });
    fillAll(context, circles, { tone: shade, shift: 0, part: 1 });
    fillAll(context, circles, { tone: heated, shift: 0.2, part: 0.72 });
  };
}

interface Puff {
  /** The point of the cycle at which it comes out, 0..1. */
  born: number;
  side: number;
  size: number;
}

function createPuffs(dice: Setting['dice'], count: number): Puff[] {
  return Array.from({ length: count }, (_, index) => ({
    born: (index + dice.between(-0.3, 0.3)) / count,
    side: dice.between(-1, 1),
    size: dice.between(0.75, 1.25),
  }));
}

interface Circle {
  x: number;
  y: number;
  radius: number;
}

/** Fills circles as one shape, each scaled by `part` and shifted towards the sun, which is ahead and above. */
function fillAll(
  context: SKRSContext2D,
  circles: readonly Circle[],
  { tone, shift, part }: { tone: Tone; shift: number; part: number },
): void {
  fill(context, tone, () => {
    for (const { x, y, radius } of circles)
      addDisc(context, x + 0.7 * shift * radius, y - shift * radius, radius * part);
  });
}
