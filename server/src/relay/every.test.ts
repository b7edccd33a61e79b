import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../domain/clock.ts';
import { every } from './every.ts';

describe('a timer of the relay', () => {
  it('a timer runs at once and then repeatedly, never twice at a time', async () => {
    let atWork = 0;
    let most = 0;
    let runs = 0;
    const timer = every(
      systemClock,
      0.001,
      async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        // oxlint-disable-next-line kinora/no-fixed-sleep -- work that takes longer than the interval of the timer
        await pause(2);
        atWork -= 1;
        runs += 1;
      },
      () => undefined,
    );
    expect(atWork).toBe(1);
    await expect.poll(() => runs).toBeGreaterThan(3);
    await timer.close();
    expect(most).toBe(1);
  });

  it('a timer goes on after a failed run and reports the error', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const timer = every(
      systemClock,
      0.001,
      async () => {
        runs += 1;
        if (runs < 3) throw new Error(`run ${runs}`);
      },
      (error) => errors.push(error),
    );
    await expect.poll(() => runs).toBeGreaterThan(3);
    await timer.close();
    expect(errors).toMatchObject([{ message: 'run 1' }, { message: 'run 2' }]);
  });

  it('a timer that waits closes at once, and one that runs closes after the current run', async () => {
    const waiting = every(
      systemClock,
      3600,
      async () => undefined,
      () => undefined,
    );
    // oxlint-disable-next-line kinora/no-fixed-sleep -- it may wait already or not yet: it must close in both cases
    await pause(1);
    await waiting.close();

    const order: string[] = [];
    let finish: () => void = () => undefined;
    const working = every(
      systemClock,
      3600,
      async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        order.push('worked');
      },
      () => undefined,
    );
    const closing = working.close().then(() => order.push('closed'));
    finish();
    await closing;
    expect(order).toEqual(['worked', 'closed']);
  });
});
