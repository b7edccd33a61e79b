import { createSeededRandom } from './seeded-random.ts';

/** The chance in a video: every throw depends on the seed, the prompt and the name of who throws, and on nothing else. */
export interface Dice {
  between(low: number, high: number): number;
  pick<const Item>(items: readonly [Item, ...Item[]]): Item;
  chance(probability: number): boolean;
  /** −1 or 1. */
  sign(): number;
}

/** Dice of their own for each part of a picture: a throw more in one part changes no other. */
export function createDice(text: string): Dice {
  const random = createSeededRandom(text);
  return {
    between: (low, high) => low + (high - low) * random(),
    pick: (items) => items[Math.floor(random() * items.length)] ?? items[0],
    chance: (probability) => random() < probability,
    sign: () => (random() < 0.5 ? -1 : 1),
  };
}
