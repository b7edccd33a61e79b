import type { AttemptFailureCode } from './failure.ts';

/** What is held against an endpoint: ends of jobs that speak against it, in a row, and until when it is closed for them. */
export interface BreakerState {
  failuresInARow: number;
  closedUntil: Date | null;
}

/** `probation`: it has served its time, and gets one job at a time until one succeeds. */
export type BreakerStanding = 'open' | 'closed' | 'probation';

/** A deadline is a stall that nobody could measure. An unusable file speaks of the model more than of the endpoint. */
export type EndpointFailureCode = Exclude<AttemptFailureCode, 'output_invalid'> | 'deadline_exceeded';

/** One crash may be the job's fault, and a task that meets it twice has an attempt left for a healthy endpoint. */
const crashesThatClose = 2;
/** A job that is too large runs out of memory on every endpoint: only a third in a row says that memory has leaked. */
const outOfMemoryThatCloses = 3;
/** Long enough for a supervisor to restart an engine that has died. */
const firstCloseSeconds = 30;
/** A broken endpoint costs one attempt every ten minutes; one that was repaired is back within as much. */
const longestCloseSeconds = 600;

/** How long an endpoint stays closed after this failure, the n-th in a row; 0 where it only counts. */
export function closeSecondsAfter(code: EndpointFailureCode, failuresInARow: number): number {
  const enough = code === 'engine_out_of_memory' ? outOfMemoryThatCloses : crashesThatClose;
  if (failuresInARow < enough) return 0;
  return Math.min(longestCloseSeconds, firstCloseSeconds * 2 ** (failuresInARow - enough));
}

/** How an endpoint stands with its breaker now. */
export function standingOf({ closedUntil }: BreakerState, now: Date): BreakerStanding {
  if (closedUntil === null) return 'open';
  return closedUntil > now ? 'closed' : 'probation';
}

/** The slots to offer of those that are free. */
export function slotsToOffer(
  standing: BreakerStanding,
  freeSlots: readonly number[],
  leased: number,
): readonly number[] {
  switch (standing) {
    case 'open':
      return freeSlots;
    case 'closed':
      return [];
    case 'probation':
      return leased === 0 ? freeSlots.slice(0, 1) : [];
  }
}
