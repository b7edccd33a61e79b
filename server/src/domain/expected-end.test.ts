import { describe, expect, it } from 'vitest';
import { expectedEndOfQueued, expectedEndOfRunning } from './expected-end.ts';

const now = new Date('2026-11-15T12:00:00Z');
const measured = { renderP50Seconds: 20, totalP50Seconds: 25, totalP90Seconds: 40 };
const secondsLeft = (end: Date | null) => end && (end.getTime() - now.getTime()) / 1000;
const began = (secondsAgo: number) => new Date(now.getTime() - secondsAgo * 1000);

describe('the end of a queued task', () => {
  it('lies its own time behind a wait through the slots of the pool', () => {
    const wait = { position: 6, lanes: 4, freeLanes: 0, secondsPerTask: 20 };
    expect(secondsLeft(expectedEndOfQueued(wait, measured, now))).toBe(30 + 25);
  });

  it('lies only its own time ahead where a slot is free for it', () => {
    const wait = { position: 2, lanes: 4, freeLanes: 2, secondsPerTask: 20 };
    expect(secondsLeft(expectedEndOfQueued(wait, measured, now))).toBe(25);
  });

  it('is unknown where nothing takes jobs', () => {
    expect(expectedEndOfQueued({ position: 1, lanes: 0, freeLanes: 0, secondsPerTask: 20 }, measured, now)).toBeNull();
  });

  it('is told the coarser the farther it is', () => {
    const wait = { position: 100, lanes: 1, freeLanes: 0, secondsPerTask: 20 };
    const end = expectedEndOfQueued(wait, measured, now);
    const later = expectedEndOfQueued(wait, measured, new Date(now.getTime() + 2_000));
    expect(secondsLeft(end)).toBe(2040);
    expect(later).toEqual(end);
  });
});

describe('the end of a task in progress', () => {
  it('follows the steps that the engine reports, once they say something', () => {
    expect(secondsLeft(expectedEndOfRunning({ beganAt: began(10), progress: 25 }, measured, now))).toBe(30 + 5);
    expect(secondsLeft(expectedEndOfRunning({ beganAt: began(10), progress: 9 }, measured, now))).toBe(15);
  });

  it('lies one median behind its begin without steps, then where nearly all have ended, and then nowhere', () => {
    const without = (secondsAgo: number) =>
      secondsLeft(expectedEndOfRunning({ beganAt: began(secondsAgo), progress: null }, measured, now));
    expect([without(0), without(24), without(30), without(41)]).toEqual([25, 1, 10, null]);
  });

  it('is never in the past', () => {
    expect(secondsLeft(expectedEndOfRunning({ beganAt: began(500), progress: 99 }, measured, now))).toBeGreaterThan(0);
  });
});
