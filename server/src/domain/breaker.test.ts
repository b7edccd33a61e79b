import { describe, expect, it } from 'vitest';
import { closeSecondsAfter, slotsToOffer, standingOf } from './breaker.ts';

const now = new Date('2026-11-15T12:00:00Z');
const later = new Date(now.getTime() + 1);

describe('the breaker of an endpoint', () => {
  it('closes at the second crash in a row, for half a minute, and twice as long with every further one up to ten minutes', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 60].map((failures) => closeSecondsAfter('engine_crashed', failures));
    expect(seconds).toEqual([0, 30, 60, 120, 240, 480, 600, 600]);
  });

  it('takes a lost job, a stall and a deadline for crashes', () => {
    for (const code of ['engine_lost', 'generation_stalled', 'deadline_exceeded'] as const) {
      expect([1, 2].map((failures) => closeSecondsAfter(code, failures))).toEqual([0, 30]);
    }
  });

  it('closes for want of memory only at the third failure in a row: the job may be too large', () => {
    const seconds = [1, 2, 3, 4].map((failures) => closeSecondsAfter('engine_out_of_memory', failures));
    expect(seconds).toEqual([0, 0, 30, 60]);
  });

  it('lets an endpoint back on probation', () => {
    expect(standingOf({ failuresInARow: 1, closedUntil: null }, now)).toBe('open');
    expect(standingOf({ failuresInARow: 2, closedUntil: later }, now)).toBe('closed');
    expect(standingOf({ failuresInARow: 2, closedUntil: now }, now)).toBe('probation');
  });

  it('offers everything while open, nothing while closed, and one job at a time on probation', () => {
    expect(slotsToOffer('open', [1, 2], 1)).toEqual([1, 2]);
    expect(slotsToOffer('closed', [1, 2], 0)).toEqual([]);
    expect(slotsToOffer('probation', [1, 2], 0)).toEqual([1]);
    expect(slotsToOffer('probation', [1, 2], 1)).toEqual([]);
  });
});
