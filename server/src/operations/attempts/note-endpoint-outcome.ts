import type { Attempt } from '../../db/attempts.ts';
import type { Database } from '../../db/database.ts';
import { type EndpointFailureCode, tripSecondsAfter } from '../../domain/breaker.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  log: Log;
}

/**
 * Holds the end of a job against its endpoint, or forgives it. Any process may have seen the end; the owner reads what is noted
 * here when it looks next. Never throws: a note that is lost costs at most an attempt. Answers whether the endpoint stands
 * otherwise than before.
 */
export async function noteEndpointOutcome(
  { db, clock, log }: Dependencies,
  { endpointId, beganAt }: Pick<Attempt, 'endpointId' | 'beganAt'>,
  outcome: 'succeeded' | EndpointFailureCode,
): Promise<boolean> {
  try {
    if (outcome === 'succeeded') return await db.endpointStates.noteSuccess(endpointId, beganAt);
    return await db.transaction(async ({ endpointStates }) => {
      const at = clock.now();
      const consecutiveFailures = await endpointStates.noteFailure(endpointId, { code: outcome, beganAt, at });
      if (consecutiveFailures === null) return false;
      const seconds = tripSecondsAfter(outcome, consecutiveFailures);
      const fields = { endpoint: endpointId, outcome, consecutiveFailures };
      if (seconds > 0) log.warn({ event: 'endpoint.tripped', ...fields, trippedSeconds: seconds }, 'endpoint tripped');
      else log.warn({ event: 'endpoint.failure_recorded', ...fields }, 'endpoint failure recorded');
      if (seconds > 0) await endpointStates.tripUntil(endpointId, new Date(at.getTime() + seconds * 1000));
      return true;
    });
  } catch (error) {
    log.warn({ event: 'endpoint.record_failed', err: error, endpoint: endpointId }, 'job outcome not recorded');
    return false;
  }
}
