import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, lighten, mix } from '../drawing/colour.ts';
import type { Moment } from '../drawing/moment.ts';
import { disc, drawAt, fill, linearGradient, stroke } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import type { Subject } from './subject.ts';

/** One fish with a few others or a school behind it. Each swims with a wave that runs down its body. */
export const fish: Subject = {
  place: 'water',
  length: 0.34,
  speed: 0.45,
  create({ palette, dice, storyboard }) {
    // A colour that the prompt does not name must at least stand out from the water.
    const isBluish = storyboard.colours.length === 0 && Math.abs(((palette.accent.hue + 360) % 360) - 215) < 60;
    const own = isBluish ? { ...palette.accent, hue: 35, chroma: palette.accent.chroma + 0.05 } : palette.accent;
    const build: Build = {
      isNear: true,
      tall: dice.between(0.14, 0.19),
      fork: dice.between(0.5, 1),
      bands: dice.pick([0, 2, 3]),
    };
    const near = createFish(build, tonesOf(own, palette));
    const count = dice.chance(0.75) ? Math.round(dice.between(5, 8)) : 2;
    const school = Array.from({ length: count }, (_, index) => {
      const far = (index + 1) / count;
      const water = mix(palette.lit(colour(0.62, 0.11, 222)), palette.skyMiddle, 0.2);
      return {
        draw: createFish({ ...build, isNear: false }, tonesOf(mix(own, water, 0.1 + 0.36 * far), palette)),
        // They follow the leader, above and below it in turn.
        x: -0.55 - 1.25 * ((index * 0.618) % 1) - 0.2 * dice.between(0, 1),
        y: (index % 2 === 0 ? -1 : 1) * (0.18 + 0.5 * dice.between(0.1, 1)),
        size: 0.6 - 0.3 * far,
        beat: dice.between(0, 1),
      };
    }).toReversed();
    return (context, moment) => {
      for (const { draw, x, y, size, beat } of school) {
        const place = { x: x + 0.08 * moment.wave(0.2, beat), y: y + 0.05 * moment.wave(0.25, beat + 0.4) };
        const angle = 0.05 * moment.wave(0.25, beat + 0.15);
        drawAt(context, { ...place, angle, scale: size }, () => draw(context, moment, beat));
      }
      context.translate(0, 0.05 * moment.wave(0.2));
      context.rotate(0.045 * moment.wave(0.2, -0.25));
      near(context, moment, 0);
    };
  },
};

interface Build {
  /** Whether the fish is near; near ones have a face. */
  isNear: boolean;
  /** Half the height of the fish at its thickest. */
  tall: number;
  fork: number;
  bands: number;
}

type Tones = Record<'back' | 'shine' | 'side' | 'belly' | 'fin' | 'band' | 'white' | 'dark', string>;

function tonesOf(base: Colour, palette: Setting['palette']): Tones {
  const { ink, glow } = palette;
  const white = lighten(mix(palette.lit(colour(0.97, 0.02, 90)), glow, 0.25), 0.06);
  return {
    back: css(mix(lighten(base, -0.1), ink, 0.08)),
    shine: css(mix(lighten(base, 0.12), glow, 0.4), 0.55),
    side: css(base),
    belly: css(mix(lighten(base, 0.1), white, 0.6)),
    fin: css(mix(lighten(base, -0.03), glow, 0.12), 0.92),
    band: css(mix(base, white, 0.85), 0.92),
    white: css(white),
    dark: css(lighten(ink, -0.04)),
  };
}

/** The rings of an eye, from the white to the glint. */
const eyeRings = [
  [0.03, 'white', 0],
  [0.019, 'dark', 0.004],
  [0.006, 'white', 0.01],
] as const;
const headX = 0.5;
const rootX = -0.27;

/** Creates a fish from its nose at x 0.5 to its tail at −0.5. `beat` is the position in its stroke at the start. */
function createFish(
  { isNear, tall, fork, bands }: Build,
  tones: Tones,
): (context: SKRSContext2D, moment: Moment, beat: number) => void {
  const samples = isNear ? 14 : 8;
  // The body is round in front and slender before the tail.
  const halfAt = (along: number) =>
    tall * Math.sin(Math.PI * along ** 0.68) ** 0.9 * (1 - 0.12 * along) + 0.03 * along * along;
  const xAt = (along: number) => headX + (rootX - headX) * along;
  return (context, moment, beat) => {
    const bendAt = (along: number) =>
      (0.008 + 0.055 * along * along) * Math.sin(2 * Math.PI * (moment.turn(1.2, beat) - 0.62 * along));
    const edge = (from: number, to: number, side: number) => {
      for (let step = 0; step <= samples; step++) {
        const along = from + ((to - from) * step) / samples;
        context.lineTo(xAt(along), bendAt(along) + side * halfAt(along));
      }
    };
    // The tail follows the body: its tips are later in the same wave. Seen from the side, its length also varies.
    const root = { x: rootX, y: bendAt(1) };
    const tip = bendAt(1.3);
    const reach = 0.24 * (0.86 + 0.14 * Math.sin(2 * Math.PI * (moment.turn(1.2, beat) - 0.85)));
    fill(context, tones.fin, () => {
      context.moveTo(root.x + 0.05, root.y - 0.03);
      context.quadraticCurveTo(root.x - 0.4 * reach, root.y - 0.07, root.x - reach, tip - 0.2);
      context.quadraticCurveTo(root.x - reach * (1 - 0.5 * fork), tip - 0.05, root.x - reach * (1 - 0.42 * fork), tip);
      context.quadraticCurveTo(root.x - reach * (1 - 0.5 * fork), tip + 0.05, root.x - reach * 0.96, tip + 0.19);
      context.quadraticCurveTo(root.x - 0.4 * reach, root.y + 0.07, root.x + 0.05, root.y + 0.03);
      const ripple = 0.02 * moment.wave(1.2, beat - 0.4);
      context.moveTo(xAt(0.28), bendAt(0.28) - 0.9 * halfAt(0.28));
      context.bezierCurveTo(
        xAt(0.4),
        -tall * 1.75,
        xAt(0.62),
        -tall * 1.5 + ripple,
        xAt(0.86),
        -tall * 0.95 + 2 * ripple,
      );
      context.quadraticCurveTo(xAt(0.78), -tall * 0.75, xAt(0.8), bendAt(0.8) - 0.8 * halfAt(0.8));
      context.moveTo(xAt(0.55), bendAt(0.55) + 0.85 * halfAt(0.55));
      context.quadraticCurveTo(xAt(0.66), tall * 1.5 - ripple, xAt(0.84), tall * 1.02 - 1.6 * ripple);
      context.quadraticCurveTo(xAt(0.76), tall * 0.7, xAt(0.78), bendAt(0.78) + 0.8 * halfAt(0.78));
    });

    const round = linearGradient(context, [0, -tall, 0, tall], {
      0.05: tones.back,
      0.42: tones.side,
      0.62: tones.side,
      1: tones.belly,
    });
    fill(context, round, () => {
      edge(0, 1, -1);
      edge(1, 0, 1);
    });

    if (isNear) {
      // Light from above falls along its back.
      fill(context, tones.shine, () => {
        edge(0.1, 0.8, -0.82);
        edge(0.8, 0.1, -0.58);
      });
    }

    fill(context, tones.band, () => {
      for (let band = 0; band < bands; band++) {
        const from = 0.36 + (0.5 * band) / bands;
        const to = from + 0.075 - 0.012 * band;
        context.moveTo(xAt(from), bendAt(from) - halfAt(from));
        context.lineTo(xAt(to), bendAt(to) - halfAt(to));
        context.quadraticCurveTo(xAt(to) - 0.035, bendAt(to), xAt(to), bendAt(to) + halfAt(to));
        context.lineTo(xAt(from), bendAt(from) + halfAt(from));
        context.quadraticCurveTo(xAt(from) - 0.035, bendAt(from), xAt(from), bendAt(from) - halfAt(from));
      }
    });

    const eye = { x: xAt(0.15), y: bendAt(0.15) - 0.2 * tall };
    for (const [radius, tone, aside] of isNear ? eyeRings : eyeRings.slice(0, 2))
      fill(context, tones[tone], disc(eye.x + aside, eye.y - aside, radius));
    if (!isNear) return;
    context.lineCap = 'round';
    stroke(context, tones.back, 0.008, () => {
      context.arc(xAt(0.15), 0.1 * tall, 0.09, 2.35, 3.75);
      context.moveTo(xAt(0.012), 0.22 * tall);
      context.quadraticCurveTo(xAt(0.05), 0.3 * tall, xAt(0.075), 0.2 * tall);
    });
    // The pectoral fin paddles.
    context.translate(xAt(0.4), 0.34 * tall);
    context.rotate(0.5 + 0.35 * moment.wave(0.8, beat));
    fill(context, tones.back, () => {
      context.moveTo(0.02, -0.025);
      context.quadraticCurveTo(-0.08, -0.06, -0.15, 0.005);
      context.quadraticCurveTo(-0.09, 0.05, 0.02, 0.03);
    });
  };
}
