/** What one bench found. */
interface BenchOutcome {
  figures: Record<string, number | string>;
  /** How many limits it looked at. */
  checks: number;
  /** Limits that were missed, a sentence each. */
  failures: string[];
}

/** One thing that is measured. */
export interface Bench {
  about: string;
  run(options: { isQuick: boolean; report: (line: string) => void }): Promise<BenchOutcome>;
}
