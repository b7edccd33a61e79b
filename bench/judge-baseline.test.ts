import { expect, test } from 'vitest';
import { judgeBaseline } from './judge-baseline.ts';

test('a figure that is at most a quarter worse than the baseline passes', () => {
  expect(judgeBaseline('read', { ratio: 12.5 }, { ratio: 10 })).toEqual([]);
  expect(judgeBaseline('read', { ratio: 3 }, { ratio: 10 })).toEqual([]);
});

test('a figure that is more than a quarter worse than the baseline fails', () => {
  expect(judgeBaseline('read', { ratio: 12.6 }, { ratio: 10 })).toEqual([
    'read: ratio is 12.6, more than a quarter above the baseline of 10',
  ]);
});

test('a figure that only one of the run and the baseline has fails', () => {
  expect(judgeBaseline('read', { new: 1 }, { old: 1 })).toHaveLength(2);
});
