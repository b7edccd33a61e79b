import { describe, expect, test } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { createPostgresClock } from './postgres-clock.ts';

const noon = Date.parse('2026-11-19T12:00:00Z');

/** A process whose time of day is ten minutes ahead of Postgres's. */
function newProcess() {
  let elapsed = 5_000;
  const own = { ...systemClock, elapsed: () => elapsed, now: () => new Date(noon + 600_000 + elapsed) };
  return { ...createPostgresClock(own), pass: (milliseconds: number) => void (elapsed += milliseconds) };
}

const at = (milliseconds: number) => new Date(noon + milliseconds);

describe('the clock of a process', () => {
  test("tells the process's own time until Postgres has told its own", () => {
    const { clock, aheadMilliseconds } = newProcess();
    expect(clock.now()).toEqual(at(605_000));
    expect(aheadMilliseconds()).toBeNull();
  });

  test("tells Postgres's time from then on, however far its own is off", () => {
    const { clock, note, pass, aheadMilliseconds } = newProcess();
    note({ at: at(0), tookMilliseconds: 10 });
    expect(clock.now()).toEqual(at(5));
    pass(60_000);
    expect(clock.now()).toEqual(at(60_005));
    expect(aheadMilliseconds()).toBe(604_995);
  });

  test.each([
    ['stays if a slow reading agrees with it', { at: at(-400), tookMilliseconds: 500 }, 5],
    ['moves as little as a reading asks that is later', { at: at(300), tookMilliseconds: 20 }, 300],
    ['moves as little as a reading asks that is earlier', { at: at(-300), tookMilliseconds: 20 }, -280],
  ])('%s', (_, reading, expected) => {
    const { clock, note } = newProcess();
    note({ at: at(0), tookMilliseconds: 10 });
    note(reading);
    expect(clock.now()).toEqual(at(expected));
  });
});
