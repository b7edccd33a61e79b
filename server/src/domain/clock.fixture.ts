import { type Clock, systemClock } from './clock.ts';

/** Returns a clock whose time of day is the given one. Its timers are real. */
export function clockAt(now: () => Date): Clock {
  return { ...systemClock, now };
}
