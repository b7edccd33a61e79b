import { expect, it } from 'vitest';
import { isTooSlow, newPace } from './pace.ts';

const limits = { silenceSeconds: 30, bytesPerSecond: 1_000, windowSeconds: 60 };

/** Returns after how many seconds a peer is too slow, or null if it is not within ten minutes. */
function secondsUntilTooSlow(
  bytesAfter: (second: number) => number,
  isWaiting: (second: number) => boolean = () => true,
) {
  const pace = newPace();
  for (let second = 1; second <= 600; second += 1) {
    if (isTooSlow(pace, limits, isWaiting(second), bytesAfter(second))) return second;
  }
  return null;
}

it('a peer that moves nothing is too slow after the time of silence', () => {
  expect(secondsUntilTooSlow(() => 0)).toBe(30);
  expect(secondsUntilTooSlow((second) => Math.min(second, 10) * 5_000)).toBe(40);
});

it('a peer that pauses for less than the time of silence and keeps up the rate is fast enough', () => {
  expect(secondsUntilTooSlow((second) => Math.floor(second / 29) * 40_000)).toBeNull();
});

it('a peer that trickles is too slow at the end of a window, and one that just keeps up the rate is not', () => {
  expect(secondsUntilTooSlow((second) => second * 999)).toBe(60);
  expect(secondsUntilTooSlow((second) => second * 1_000)).toBeNull();
});

it('a peer that was fast for a while and then trickles is too slow one window later', () => {
  expect(secondsUntilTooSlow((second) => (second <= 60 ? second * 100_000 : 6_000_000 + second))).toBe(120);
});

it('time in which the server does not wait for its peer does not count', () => {
  const neverMoves = () => 0;
  expect(secondsUntilTooSlow(neverMoves, () => false)).toBeNull();
  expect(secondsUntilTooSlow(neverMoves, (second) => second % 20 !== 0)).toBeNull();
});
