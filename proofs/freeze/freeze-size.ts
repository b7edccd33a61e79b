import type { ProofSize } from '../proof.ts';
import type { Target } from './freeze-evidence.ts';
import type { Planned } from './judge-freeze.ts';

export interface FreezeSize {
  rounds: number;
  planned: Planned;
}

const each = (count: number): Record<Target, number> => ({
  worker: count,
  relay: count,
  api: count,
  engine: count,
  postgres: count,
  temporal: count,
  s3: count,
});

/** Longer than the 15 s after which a silent worker is replaced, and than any lock or lease of a silent process. */
export const longSeconds = 40;
export const shortSeconds = 3;

export const sizes: Record<ProofSize, FreezeSize> = {
  ci: {
    rounds: 1,
    planned: { tasks: 20, freezesOf: each(2), longFreezesOf: each(1), longSeconds, vanishes: 1 },
  },
  full: {
    rounds: 12,
    planned: { tasks: 240, freezesOf: each(24), longFreezesOf: each(12), longSeconds, vanishes: 12 },
  },
};
