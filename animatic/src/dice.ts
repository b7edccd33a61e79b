import { createSeededRandom } from './seeded-random.ts';

/** The random choices of a video. They depend only on the text they are created with: seed, prompt and part. */
export interface Dice {
  between(low: number, high: number): number;
  pick<const Item>(items: readonly [Item, ...Item[]]): Item;
  chance(probability: number): boolean;
  /** −1 or 1. */
  sign(): number;
}

/** Creates dice. Each part of a picture has its own, so that one more random choice in a part changes no other part. */
export function createDice(text: string): Dice {
  const random = createSeededRandom(text);
  return {
    between: (low, high) => low + (high - low) * random(),
    pick: (items) => items[Math.floor(random() * items.length)] ?? items[0],
    chance: (probability) => random() < probability,
    sign: () => (random() < 0.5 ? -1 : 1),
  };
}
