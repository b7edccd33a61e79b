import { expect, it } from 'vitest';
import { createRepeats } from './repeats.ts';

it('a repeated key is admitted again after 30 s, with the number of repeats that were suppressed', () => {
  let now = 0;
  const repeats = createRepeats(() => now);
  expect(repeats.admit('a')).toBe(0);
  expect(repeats.admit('b')).toBe(0);
  now = 29_999;
  expect([repeats.admit('a'), repeats.admit('a')]).toEqual([null, null]);
  now = 30_000;
  expect([repeats.admit('a'), repeats.admit('b')]).toEqual([2, 0]);
});

it('at most 500 keys are remembered, and the one written longest ago is forgotten first', () => {
  const repeats = createRepeats(() => 0);
  for (let index = 0; index <= 500; index += 1) repeats.admit(String(index));
  expect(repeats.admit('1')).toBeNull();
  expect(repeats.admit('0')).toBe(0);
});
