import type { BenchStack } from './bench-stack.ts';

/** The results of one bench. */
export interface BenchOutcome {
  /** Figures that the runner compares with the baseline; a higher figure is worse. */
  judged: Record<string, number>;
  /** Figures that are only shown, because they depend on the machine. */
  shown: Record<string, number | string>;
  /** The number of fixed limits that the bench itself compared figures with. */
  checks: number;
  /** One sentence per limit that was missed. */
  failures: string[];
}

/** `quick` runs in CI, `normal` is the default, and `full` has the largest tables. */
export type BenchSize = 'quick' | 'normal' | 'full';

export interface BenchOptions {
  size: BenchSize;
  /** How long a bench runs that takes a time rather than a size; null for its own default. */
  minutes: number | null;
  report: (line: string) => void;
  /** Returns the stack that the benches of a run share, with a fresh database. */
  openStack: () => Promise<BenchStack>;
}

/** One measurement that `npm run bench` can run by its name. */
export interface Bench {
  about: string;
  /** The runner does not repeat it if it misses a limit. */
  runsOnce?: true;
  run(options: BenchOptions): Promise<BenchOutcome>;
}

/** Returns the second of two outcomes of a bench, with the better of both for each judged figure. */
export function betterOf(first: BenchOutcome, second: BenchOutcome): BenchOutcome {
  const judged = Object.entries(second.judged).map(([name, figure]) => [
    name,
    Math.min(figure, first.judged[name] ?? figure),
  ]);
  return { ...second, judged: Object.fromEntries(judged) };
}
