import type { Case } from './address-case.ts';
import type { Comparison } from './compare-classifier.ts';
import type { Trespass } from './internet.ts';
import type { Fate } from './submit-url.ts';

/** A case and how it ended. */
export interface CaseRecord extends Omit<Case, 'wasCarriedOut' | 'isSlow'>, Fate {
  wasCarriedOut: boolean;
  milliseconds: number;
}

/** Everything that the judge sees of a run. */
export interface Evidence {
  forms: number;
  cases: CaseRecord[];
  trespasses: Trespass[];
  /** HTTP requests that the stack's Postgres logged as protocol errors. */
  databaseKnocks: number;
  /** The same forms fetched without the guard: the canary must notice them, or it proves nothing. */
  control: { forms: number; noticed: number; databaseKnocks: number };
  comparison: Comparison;
}

/** The least that a run must have done. */
export interface Thresholds {
  forms: number;
  cases: number;
  legitimate: number;
  /** The share of the control's forms that the canary must notice; the kernel refuses multicast and a few others. */
  controlShare: number;
  addresses: number;
}
