import { type AttemptFailureCode, isAttemptFailureCode } from './failure.ts';

/** Circuit-breaker record of an endpoint: consecutive failures, and until when the endpoint gets no jobs. */
export interface BreakerRecord {
  consecutiveFailures: number;
  trippedUntil: Date | null;
}

/** On `probation`, after `trippedUntil` has passed, an endpoint gets one job at a time until one succeeds. */
export type BreakerState = 'accepting' | 'tripped' | 'probation';

/**
 * Failures that count against an endpoint: an exceeded deadline may be a stall, `engine_unavailable` a refused job. An
 * unusable file says more about the model than about the endpoint.
 */
export type EndpointFailureCode =
  | Exclude<AttemptFailureCode, 'output_invalid'>
  | 'deadline_exceeded'
  | 'engine_unavailable';

/** One crash may be the job's fault. After two, the task still has an attempt left for a healthy endpoint. */
export const crashesThatTrip = 2;
/** A job that is too large runs out of memory on every endpoint, so only a third failure in a row points to a leak. */
const outOfMemoryThatTrips = 3;
/** An engine that restarts may refuse a job or two before a probe notices. */
const refusalsThatTrip = 3;
/** 30 s: long enough for a supervisor to restart an engine that has died. */
const firstTripSeconds = 30;
/** 10 min: a broken endpoint costs at most one attempt per 10 min, and a repaired one is back within 10 min. */
const longestTripSeconds = 600;
/** With more than three, an endpoint that breaks together with all others would fail one task after the other. */
export const excusesPerSuccess = 3;

/** Returns whether an attempt with this outcome counted against its endpoint and may be taken back. */
export function isEndpointFailure(outcome: string | null): boolean {
  return isAttemptFailureCode(outcome) && outcome !== 'output_invalid';
}

/** Returns how long the n-th consecutive failure trips an endpoint, or 0 if the failure is only counted. */
export function tripSecondsAfter(code: EndpointFailureCode, consecutiveFailures: number): number {
  const enough = enoughToTrip(code);
  if (consecutiveFailures < enough) return 0;
  return Math.min(longestTripSeconds, firstTripSeconds * 2 ** (consecutiveFailures - enough));
}

function enoughToTrip(code: EndpointFailureCode): number {
  if (code === 'engine_out_of_memory') return outOfMemoryThatTrips;
  return code === 'engine_unavailable' ? refusalsThatTrip : crashesThatTrip;
}

export function breakerStateOf({ trippedUntil }: BreakerRecord, now: Date): BreakerState {
  if (trippedUntil === null) return 'accepting';
  return trippedUntil > now ? 'tripped' : 'probation';
}

/** Returns which of the free slots may be given jobs. */
export function slotsToOffer(state: BreakerState, freeSlots: readonly number[], leased: number): readonly number[] {
  switch (state) {
    case 'accepting':
      return freeSlots;
    case 'tripped':
      return [];
    case 'probation':
      return leased === 0 ? freeSlots.slice(0, 1) : [];
  }
}
