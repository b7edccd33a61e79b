import type { Attempt } from '../../db/attempts/attempt-table.ts';
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
 * Counts a job's failure against its endpoint, or resets the count; the owner reads it at its next probe. Never throws:
 * a lost outcome costs at most one attempt. Returns whether the endpoint's record changed.
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
