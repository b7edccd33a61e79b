/** The lanes run beside each other. Steps that count what the machine does run alone, after them. */
export type Lane = 'a' | 'b' | 'c' | 'alone';

export interface Step {
  name: string;
  lane: Lane;
  /** What `scripts/with-tools` runs. */
  command: readonly [string, ...string[]];
  /** As Vitest's JSON, as the JSON of our own runners (`--results FILE`), or only by its exit status. */
  reports: 'vitest' | 'ours' | 'status';
  /** Parts of `scripts/setup` that it needs beside the core. */
  needs?: readonly string[];
  /** Whether the installations that it starts run the compiled programs, as in production. */
  runsBuild?: true;
  /** Whether it always has the same result, so that a repetition could only hide a fault. */
  isDeterministic?: true;
}

/** One check of a step: a test, a proof, or the step itself. */
export interface CheckResult {
  /** The file of a test, as seen from the root of the repository, or `proofs/NAME`. */
  file: string;
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  /** What went wrong; empty unless it failed. */
  message: string;
}

export interface StepResult {
  step: Step;
  seconds: number;
  /** Processor time, by which the lanes are balanced. */
  cpuSeconds: number;
  checks: CheckResult[];
  /** Measured values, which a proof or bench reports. */
  figures: Record<string, Record<string, number | string>>;
}
