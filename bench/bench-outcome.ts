/** The results of one bench. */
interface BenchOutcome {
  figures: Record<string, number | string>;
  /** The number of limits that the bench compared its figures with. */
  checks: number;
  /** One sentence per limit that was missed. */
  failures: string[];
}

/** One measurement that `npm run bench` can run by its name. */
export interface Bench {
  about: string;
  run(options: { isQuick: boolean; report: (line: string) => void }): Promise<BenchOutcome>;
}
