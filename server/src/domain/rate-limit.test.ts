import { describe, expect, it } from 'vitest';
import { quotaState, takeFromRate } from './rate-limit.ts';

const now = 1_000_000;

describe('a rate limit', () => {
  it('admits exactly its burst at one moment, then one request per interval', () => {
    const limit = { perMinute: 60, burst: 10 };
    let allowedAt = 0;
    const takeUntilRefused = (at: number): number => {
      for (let count = 0; ; count += 1) {
        const taken = takeFromRate({ ...limit, allowedAt }, at);
        if (!('allowedAt' in taken)) return count;
        allowedAt = taken.allowedAt;
      }
    };
    expect(takeUntilRefused(now)).toBe(10);
    expect(takeFromRate({ ...limit, allowedAt }, now)).toEqual({ waitMilliseconds: 1000 });
    expect(takeUntilRefused(now + 999)).toBe(0);
    expect(takeUntilRefused(now + 1000)).toBe(1);
    expect(takeUntilRefused(now + 3_600_000)).toBe(10);
  });

  it.each([600, 7, 61, 333, 59_999])(
    'of %i per minute with a burst of as many admits exactly that many at once, despite rounding',
    (perMinute) => {
      let allowedAt = 0;
      for (let count = 0; count < perMinute; count += 1) {
        expect(quotaState({ perMinute, burst: perMinute, allowedAt }, now).remaining).toBe(perMinute - count);
        const taken = takeFromRate({ perMinute, burst: perMinute, allowedAt }, now);
        if (!('allowedAt' in taken)) throw new Error(`refused after ${count}`);
        allowedAt = taken.allowedAt;
      }
      expect(quotaState({ perMinute, burst: perMinute, allowedAt }, now)).toMatchObject({
        remaining: 0,
        resetSeconds: 60,
      });
      expect(takeFromRate({ perMinute, burst: perMinute, allowedAt }, now)).toHaveProperty('waitMilliseconds');
    },
  );

  it('reports what is left and when the whole burst is available again', () => {
    const stateWith = (allowedAt: number) => quotaState({ perMinute: 60, burst: 10, allowedAt }, now);
    expect(stateWith(0)).toEqual({ perMinute: 60, burst: 10, remaining: 10, resetSeconds: 0 });
    expect(stateWith(now + 3000)).toMatchObject({ remaining: 7, resetSeconds: 3 });
    expect(stateWith(now + 2400)).toMatchObject({ remaining: 7, resetSeconds: 3 });
    expect(stateWith(now + 10_000)).toMatchObject({ remaining: 0, resetSeconds: 10 });
    // After the limit was lowered.
    expect(stateWith(now + 90_000)).toMatchObject({ remaining: 0, resetSeconds: 90 });
  });
});
