import { describe, expect, it } from 'vitest';
import { breakerStateOf, slotsToOffer, tripSecondsAfter } from './breaker.ts';

const now = new Date('2026-11-15T12:00:00Z');
const later = new Date(now.getTime() + 1);

describe('the breaker of an endpoint', () => {
  it('trips at the second consecutive crash for 30 s, and for twice as long at each further crash, up to 10 min', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 60].map((failures) => tripSecondsAfter('engine_crashed', failures));
    expect(seconds).toEqual([0, 30, 60, 120, 240, 480, 600, 600]);
  });

  it('counts a lost job, a stall and an exceeded deadline like a crash', () => {
    for (const code of ['engine_lost', 'generation_stalled', 'deadline_exceeded'] as const) {
      expect([1, 2].map((failures) => tripSecondsAfter(code, failures))).toEqual([0, 30]);
    }
  });

  it('trips on a lack of memory only at the third consecutive failure, because the job may be too large', () => {
    const seconds = [1, 2, 3, 4].map((failures) => tripSecondsAfter('engine_out_of_memory', failures));
    expect(seconds).toEqual([0, 0, 30, 60]);
  });

  it('trips on refused jobs only at the third consecutive failure, because an engine may be restarting', () => {
    const seconds = [1, 2, 3, 4].map((failures) => tripSecondsAfter('engine_unavailable', failures));
    expect(seconds).toEqual([0, 0, 30, 60]);
  });

  it('puts an endpoint on probation once its trip is over', () => {
    expect(breakerStateOf({ consecutiveFailures: 1, trippedUntil: null }, now)).toBe('accepting');
    expect(breakerStateOf({ consecutiveFailures: 2, trippedUntil: later }, now)).toBe('tripped');
    expect(breakerStateOf({ consecutiveFailures: 2, trippedUntil: now }, now)).toBe('probation');
  });

  it('offers every free slot while accepting, none while tripped, and one job at a time on probation', () => {
    expect(slotsToOffer('accepting', [1, 2], 1)).toEqual([1, 2]);
    expect(slotsToOffer('tripped', [1, 2], 0)).toEqual([]);
    expect(slotsToOffer('probation', [1, 2], 0)).toEqual([1]);
    expect(slotsToOffer('probation', [1, 2], 1)).toEqual([]);
  });
});
