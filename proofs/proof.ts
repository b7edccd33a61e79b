import type { Random } from '@kinora/stack/harness/seeded-random';
import type { Stack } from '@kinora/stack/parts/stack';

/** How much work a run does: `ci` proves the promise, `full` proves it with as much as a night allows. */
export type ProofSize = 'ci' | 'full';

/** The gate decides about a merge, so it judges only events, order and counts. The night judges times too. */
export type ProofTier = 'gate' | 'night';

export interface ProofOptions {
  size: ProofSize;
  tier: ProofTier;
  /** The source of every random choice, so that TEST_SEED repeats a run. */
  random: Random;
  report: (line: string) => void;
}

export interface ProofOutcome {
  figures: Record<string, number | string>;
  /** One sentence for each thing that broke the promise; empty if it was kept. */
  failures: string[];
}

/** One promise and the test that proves it, in `proofs/NAME/NAME.ts`. */
export type Proof = {
  name: string;
  promise: string;
  /** How long the CI size takes on two cores, as information for people. */
  minutes: number;
  /** `shared` proofs share one stack in the gate. An `alone` proof counts what its stack does or kills it, so it has its own. */
  inGate?: 'shared' | 'alone';
  /** Why the promise does not hold yet. Such a proof runs only by name, and no document may promise what it tests. */
  notYetKept?: string;
} & (
  | { run: (stack: Stack, options: ProofOptions) => Promise<ProofOutcome> }
  // In a network of its own, a proof cannot reach a stack outside it, and starts one inside.
  | { runInOwnNetwork: (options: ProofOptions) => Promise<ProofOutcome> }
);
