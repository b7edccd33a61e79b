import { percentile } from '@kinora/stack/harness/percentile';
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

/** `quick` runs every night (of `growth`, also for each change), `normal` is the default, and `full` has the largest tables. */
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
  run(options: BenchOptions): Promise<BenchOutcome>;
}

/** Returns the median of each figure. An objection of the bench counts if more than half of the runs made one. */
export function medianOf(outcomes: readonly [BenchOutcome, ...BenchOutcome[]]): BenchOutcome {
  const [first] = outcomes;
  const judged = Object.keys(first.judged).map((name) => [
    name,
    percentile(
      outcomes.flatMap((outcome) => outcome.judged[name] ?? []),
      50,
    ),
  ]);
  const objecting = outcomes.filter(({ failures }) => failures.length > 0);
  const failures = 2 * objecting.length > outcomes.length ? (objecting[0]?.failures ?? []) : [];
  return { ...first, judged: Object.fromEntries(judged), failures };
}
