/** How much is done: `smoke` shows that the proof still runs, `ci` keeps the promise, `full` is for a night. */
export type ProofSize = 'smoke' | 'ci' | 'full';

export interface ProofOutcome {
  figures: Record<string, number | string>;
  /** What broke the promise, a sentence each; empty when it was kept. */
  failures: string[];
}

/** One promise and how it is put to the test. It is in `proofs/NAME/NAME.ts`. */
export interface Proof {
  name: string;
  promise: string;
  /** Prefixes of the paths whose change asks for the CI size. */
  covers: string[];
  /** What the CI size takes on two cores. */
  minutes: number;
  run(size: ProofSize, report: (line: string) => void): Promise<ProofOutcome>;
}
