import type { Clock } from '../../domain/clock.ts';

/** What Postgres's clock said during a request, and how long the request took. */
export interface TimeReading {
  at: Date;
  tookMilliseconds: number;
}

export interface PostgresClock {
  /** Tells Postgres's time, or this process's until the first reading. */
  clock: Clock;
  note: (reading: TimeReading) => void;
  /** How far this process's own clock is ahead of Postgres's; null before the first reading. */
  aheadMilliseconds: () => number | null;
}

/**
 * Makes a clock that all processes of an installation share: Postgres's time at a reading, and the time that has passed in
 * this process since. So a process whose time of day is wrong, or jumps, writes the same times as the others.
 */
export function createPostgresClock(own: Clock): PostgresClock {
  /** Postgres's time when `own.elapsed()` was 0. */
  let origin: number | null = null;
  const now = (): number => (origin === null ? own.now().getTime() : origin + own.elapsed());
  return {
    clock: { ...own, now: () => new Date(now()) },
    note: ({ at, tookMilliseconds }) => {
      // Postgres read its clock at some moment of the request. An origin that agrees with that is not moved.
      const latest = at.getTime() + tookMilliseconds - own.elapsed();
      const earliest = latest - tookMilliseconds;
      origin = origin === null ? (earliest + latest) / 2 : Math.min(latest, Math.max(earliest, origin));
    },
    aheadMilliseconds: () => (origin === null ? null : own.now().getTime() - now()),
  };
}
