import type { Dice } from '../dice.ts';
import { ease } from './ease.ts';
import { fraction } from './moment.ts';

/** A curve along x with values in −1..1. */
export type Curve = (x: number) => number;

interface Options {
  /** The length after which the curve repeats exactly; features are about a quarter of it, finer with every octave. */
  period: number;
  octaves: number;
  /** Whether the tops are sharp, like rock; otherwise they are round, like hills. */
  isRidged?: boolean | undefined;
}

const pointsPerPeriod = 5;

/** Creates a natural outline: large shapes with smaller ones on them. */
export function createNoise(dice: Dice, { period, octaves, isRidged = false }: Options): Curve {
  const curves = Array.from({ length: octaves }, (_, octave) => {
    const count = pointsPerPeriod * 2 ** octave;
    const points = Array.from({ length: count }, () => dice.between(-1, 1));
    const at = (index: number) => points[((index % count) + count) % count] ?? 0;
    return (x: number) => {
      const place = fraction(x / period) * count;
      const before = Math.floor(place);
      const along = place - before;
      const value = at(before) + (at(before + 1) - at(before)) * ease(along);
      return isRidged ? 1 - 2 * Math.abs(value) : value;
    };
  });
  const total = curves.reduce((sum, _, octave) => sum + 0.5 ** octave, 0);
  return (x) => curves.reduce((sum, curve, octave) => sum + curve(x) * 0.5 ** octave, 0) / total;
}
