import { expect, it } from 'vitest';
import { judgePlan, type PrintedPlan, type Rates } from './judge-plan.ts';

const plan: PrintedPlan = {
  perCell: { cores: 0.5, statementsPerSecond: 150, commitsPerSecond: 60, walMegabytesPerSecond: 0.2 },
  databaseGigabytes: 25.92,
};
const measured: Rates = { walBytes: 200_000, commits: 60, statements: 150, databaseBytes: 10_000, cores: 0.5 };

it('a plan that says what was measured is kept', () => {
  expect(judgePlan(plan, measured).filter(({ isKept }) => !isKept)).toEqual([]);
});

it.each<[string, Partial<Rates>]>([
  ['writes a fifth more', { walBytes: 240_000 }],
  ['commits a fifth less', { commits: 48 }],
  ['sends a fifth more statements', { statements: 180 }],
  ['stores a fifth more', { databaseBytes: 12_000 }],
  ['computes a half more', { cores: 0.75 }],
  ['was not measured', { cores: Number.NaN }],
])('a plan for a load that %s is not kept', (_name, change) => {
  expect(judgePlan(plan, { ...measured, ...change }).filter(({ isKept }) => !isKept)).toHaveLength(1);
});
