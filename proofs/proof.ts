/**
 * How much work a run does: `smoke` shows that the proof still runs, `ci` proves the promise, `full` runs overnight.
 */
export type ProofSize = 'smoke' | 'ci' | 'full';

export interface ProofOutcome {
  figures: Record<string, number | string>;
  /** One sentence for each thing that broke the promise; empty if it was kept. */
  failures: string[];
}

/** One promise and the test that proves it, in `proofs/NAME/NAME.ts`. */
export interface Proof {
  name: string;
  promise: string;
  /** Prefixes of the paths whose change requires the CI size. */
  covers: string[];
  /** How long the CI size takes on two cores. */
  minutes: number;
  /** Why the promise does not hold yet. Such a proof runs only by name, and no document may promise what it tests. */
  notYetKept?: string;
  run(size: ProofSize, report: (line: string) => void): Promise<ProofOutcome>;
}
