import { expect, test } from 'vitest';
import { betterOf } from './bench-outcome.ts';

test('the better of two outcomes has the lower of both judged figures, and everything else from the second', () => {
  const first = { judged: { a: 1, b: 4, c: 1 }, shown: { d: 1 }, checks: 1, failures: ['slow'] };
  const second = { judged: { a: 2, b: 3 }, shown: { d: 2 }, checks: 1, failures: [] };
  expect(betterOf(first, second)).toEqual({ ...second, judged: { a: 1, b: 3 } });
});
