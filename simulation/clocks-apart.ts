import type { Random } from '@kinora/stack/harness/seeded-random';

/** Sets clocks apart, each by at most so many milliseconds. Returns how far that of a name is ahead. */
export function clocksApart(random: Random, names: readonly string[], furthest: number): (name: string) => number {
  const offsets = new Map(names.map((name) => [name, random.below(2 * furthest + 1) - furthest]));
  return (name) => offsets.get(name) ?? 0;
}
