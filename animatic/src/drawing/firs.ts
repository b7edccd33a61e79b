import type { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../dice.ts';

interface Wood {
  dice: Dice;
  from: number;
  to: number;
  /** The height of the tallest fir, in units. */
  height: number;
  /** How much of the ground they cover, 0..1. */
  density: number;
  topAt: (x: number) => number;
}

/** Adds a row of firs to a path, in groups with clearings between. */
export function addFirs(path: Path2D, { dice, from, to, height, density, topAt }: Wood): void {
  const step = height * 0.24;
  let isWood = dice.chance(density);
  for (let x = from; x < to; x += step * dice.between(0.6, 1.4)) {
    if (dice.chance(0.08)) isWood = dice.chance(density);
    if (!isWood) continue;
    addFir(path, x, topAt(x) + 0.1 * height, height * dice.between(0.45, 1));
  }
}

/** Adds one fir with its foot at x, y. */
export function addFir(path: Path2D, x: number, y: number, height: number): void {
  const tiers = 4;
  path.moveTo(x, y - height);
  for (const side of [1, -1]) {
    const order = side === 1 ? [1, 2, 3, 4] : [4, 3, 2, 1];
    for (const tier of order) {
      const reach = side * height * 0.26 * (tier / tiers) ** 0.9;
      const tierY = y - height * (1 - 0.92 * (tier / tiers));
      const notch = reach * 0.5;
      if (side === 1) {
        path.lineTo(x + reach, tierY);
        path.lineTo(x + notch, tierY - height * 0.03);
      } else {
        path.lineTo(x + notch, tierY - height * 0.03);
        path.lineTo(x + reach, tierY);
      }
    }
    if (side === 1) {
      path.lineTo(x + height * 0.03, y - height * 0.1);
      path.lineTo(x + height * 0.03, y);
      path.lineTo(x - height * 0.03, y);
      path.lineTo(x - height * 0.03, y - height * 0.1);
    }
  }
  path.closePath();
}
