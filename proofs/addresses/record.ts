import type { Case } from './address-case.ts';
import type { Fate } from './ask-columns.ts';
import type { Comparison } from './compare-classifier.ts';
import type { Trespass } from './internet.ts';

/** A case and what came of it. */
export interface CaseRecord extends Omit<Case, 'wasCarriedOut' | 'isSlow'>, Fate {
  wasCarriedOut: boolean;
  milliseconds: number;
}

/** All that was seen, for the judge. */
export interface Evidence {
  forms: number;
  cases: CaseRecord[];
  trespasses: Trespass[];
  /** Requests by HTTP that the stack's Postgres has complained of. */
  databaseKnocks: number;
  /** The same forms through a fetcher without its guard: the canary must sing. */
  control: { forms: number; noticed: number; databaseKnocks: number };
  comparison: Comparison;
}

/** What must at least have been done. */
export interface Thresholds {
  forms: number;
  cases: number;
  legitimate: number;
  /** The share of the control's forms that the canary notices; the kernel itself keeps multicast and some others away. */
  controlShare: number;
  addresses: number;
}
