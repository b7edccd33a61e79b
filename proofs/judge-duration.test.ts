import { expect, test } from 'vitest';
import { judgeDuration } from './judge-duration.ts';

test('a proof may take one and a half times its declared minutes', () => {
  expect(judgeDuration({ minutes: 2 }, 'ci', 180)).toBeNull();
});

test('a proof that takes longer fails with an objection that names both durations', () => {
  expect(judgeDuration({ minutes: 2 }, 'ci', 186)).toBe(
    'it took 3.1 min at CI size, more than 1.5 times the 2 min that it declares; make it faster, or declare more minutes',
  );
});

test('smoke and full sizes are not judged by the minutes of the CI size', () => {
  expect(judgeDuration({ minutes: 1 }, 'smoke', 600)).toBeNull();
  expect(judgeDuration({ minutes: 1 }, 'full', 36_000)).toBeNull();
});
