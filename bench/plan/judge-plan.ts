import type { Cost } from './load-cost.ts';

/** What a load costs per second. */
export type Rates = Pick<Cost, 'walBytes' | 'commits' | 'statements' | 'databaseBytes'> & { cores: number };

/** What `kinora-server plan --json` prints, as far as it can be measured. */
export interface PrintedPlan {
  perCell: { cores: number; statementsPerSecond: number; commitsPerSecond: number; walMegabytesPerSecond: number };
  /** After 30 days. */
  databaseGigabytes: number;
}

/** By which share the plan may be off. What is written follows from the code; CPU time also depends on the machine. */
const allowed: Record<keyof Rates, number> = {
  walBytes: 0.1,
  commits: 0.1,
  statements: 0.1,
  databaseBytes: 0.1,
  cores: 0.25,
};

const planSeconds = 30 * 86_400;

/** Compares what is planned for one cell with what a load cost per second. */
export function judgePlan(plan: PrintedPlan, measured: Rates) {
  const { perCell } = plan;
  const planned: Rates = {
    walBytes: perCell.walMegabytesPerSecond * 1e6,
    commits: perCell.commitsPerSecond,
    statements: perCell.statementsPerSecond,
    databaseBytes: (plan.databaseGigabytes * 1e9) / planSeconds,
    cores: perCell.cores,
  };
  return (Object.keys(allowed) as (keyof Rates)[]).map((figure) => {
    const off = planned[figure] / measured[figure] - 1;
    return {
      figure,
      planned: planned[figure],
      measured: measured[figure],
      off,
      isKept: Math.abs(off) <= allowed[figure],
    };
  });
}

export function ratesOf(cost: Cost, seconds: number): Rates {
  const { api, relay, worker, media, postgres, temporal, store, ...written } = cost;
  const cores = api + relay + worker + media + postgres + temporal + store;
  return {
    walBytes: written.walBytes / seconds,
    commits: written.commits / seconds,
    statements: written.statements / seconds,
    databaseBytes: written.databaseBytes / seconds,
    cores: cores / seconds,
  };
}
