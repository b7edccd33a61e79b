import { seededRandom } from '@kinora/stack/harness/seeded-random';
import type { Random } from '../server/src/domain/random.ts';

/** The chance of a world: the same for the same seed. */
export function seededChance(seed: number): Random {
  const random = seededRandom(seed);
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => random.below(256)));
  return {
    bytes,
    uuid: () => {
      const hex = bytes(16).toString('hex');
      return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
        '-',
      );
    },
    below: (limit) => random.below(limit),
  };
}
