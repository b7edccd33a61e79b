import { expect, test } from 'vitest';
import { medianOf } from './bench-outcome.ts';

const outcome = (a: number, failures: string[] = []) => ({ judged: { a }, shown: {}, checks: 1, failures });

test('several runs give the median of each figure', () => {
  expect(medianOf([outcome(9), outcome(1), outcome(2)]).judged).toEqual({ a: 2 });
});

test('a limit that a bench missed counts only if most runs missed it', () => {
  expect(medianOf([outcome(1, ['slow']), outcome(1), outcome(1)]).failures).toEqual([]);
  expect(medianOf([outcome(1, ['slow']), outcome(1), outcome(1, ['slow too'])]).failures).toEqual(['slow']);
});
