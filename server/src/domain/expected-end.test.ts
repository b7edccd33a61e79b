import { describe, expect, it } from 'vitest';
import { expectedEndOfQueued, expectedEndOfRunning } from './expected-end.ts';

const now = new Date('2026-11-15T12:00:00Z');
const measured = { renderP50Seconds: 20, totalP50Seconds: 25, totalP90Seconds: 40 };
const secondsLeft = (end: Date | null) => end && (end.getTime() - now.getTime()) / 1000;
const began = (secondsAgo: number) => new Date(now.getTime() - secondsAgo * 1000);

describe('the expected end of a queued task', () => {
  it('is the wait for a slot of the pool plus the median time of a task', () => {
    const wait = { position: 6, lanes: 4, freeLanes: 0, secondsPerTask: 20 };
    expect(secondsLeft(expectedEndOfQueued(wait, measured, now))).toBe(30 + 25);
  });

  it('is only the median time of a task away if a slot is free', () => {
    const wait = { position: 2, lanes: 4, freeLanes: 2, secondsPerTask: 20 };
    expect(secondsLeft(expectedEndOfQueued(wait, measured, now))).toBe(25);
  });

  it('is unknown if no endpoint takes jobs', () => {
    expect(expectedEndOfQueued({ position: 1, lanes: 0, freeLanes: 0, secondsPerTask: 20 }, measured, now)).toBeNull();
  });

  it('is rounded more coarsely the farther away it is', () => {
    const wait = { position: 100, lanes: 1, freeLanes: 0, secondsPerTask: 20 };
    const end = expectedEndOfQueued(wait, measured, now);
    const later = expectedEndOfQueued(wait, measured, new Date(now.getTime() + 2_000));
    expect(secondsLeft(end)).toBe(2040);
    expect(later).toEqual(end);
  });
});

describe('the expected end of a task in progress', () => {
  it("follows the engine's reported steps once they reach 10 %", () => {
    expect(secondsLeft(expectedEndOfRunning({ beganAt: began(10), progress: 25 }, measured, now))).toBe(30 + 5);
    expect(secondsLeft(expectedEndOfRunning({ beganAt: began(10), progress: 9 }, measured, now))).toBe(15);
  });

  it('is the median without reported steps, then the 90th percentile, and then unknown', () => {
    const without = (secondsAgo: number) =>
      secondsLeft(expectedEndOfRunning({ beganAt: began(secondsAgo), progress: null }, measured, now));
    expect([without(0), without(24), without(30), without(41)]).toEqual([25, 1, 10, null]);
  });

  it('is never in the past', () => {
    expect(secondsLeft(expectedEndOfRunning({ beganAt: began(500), progress: 99 }, measured, now))).toBeGreaterThan(0);
  });
});
