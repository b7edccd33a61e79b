import { expect, test } from 'vitest';
import { judgeDuration } from './judge-duration.ts';

test('a proof may take one and a half times its declared minutes', () => {
  expect(judgeDuration({ minutes: 2 }, 'ci', 180)).toBeNull();
});

test('a proof that takes longer fails with a sentence that says so', () => {
  expect(judgeDuration({ minutes: 2 }, 'ci', 186)).toBe(
    'It took 3.1 min at CI size, more than 1.5 times the 2 min that it declares. Make it faster, or declare what it takes.',
  );
});

test('smoke and full sizes are not judged by the minutes of the CI size', () => {
  expect(judgeDuration({ minutes: 1 }, 'smoke', 600)).toBeNull();
  expect(judgeDuration({ minutes: 1 }, 'full', 36_000)).toBeNull();
});
