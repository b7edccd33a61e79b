import type { Attempt } from '../../db/attempts/attempt-table.ts';
import type { Database } from '../../db/database.ts';
import { isEndpointFailure } from '../../domain/breaker.ts';
import type { Log } from '../../telemetry/log.ts';

/**
 * Takes a task's failures back from the breakers of its endpoints if it has failed on two different ones: then the task
 * is probably at fault. An endpoint without a recent success is not excused, because it may be broken too. Called after
 * the failure of `attempt` was counted and before the attempt ends. Never throws: a breaker recovers by itself.
 */
export async function excuseEndpoints(
  { db, log }: { db: Database; log: Log },
  { taskId, attempt, endpointId }: Pick<Attempt, 'taskId' | 'attempt' | 'endpointId'>,
): Promise<void> {
  try {
    const former = (await db.attempts.list(taskId)).filter(
      (each) => each.attempt < attempt && isEndpointFailure(each.outcome),
    );
    if (former.every((each) => each.endpointId === endpointId)) return;
    // If the former failures were on two endpoints already, they were taken back then.
    const isFirstTime = former.every((each) => each.endpointId === former[0]?.endpointId);
    const failedOn = [...(isFirstTime ? former.map((each) => each.endpointId) : []), endpointId];
    for (const endpoint of failedOn) {
      const consecutiveFailures = await db.endpointStates.takeBackFailure(endpoint);
      if (consecutiveFailures === null) continue;
      log.info({ event: 'endpoint.excused', taskId, endpoint, consecutiveFailures }, 'endpoint excused');
    }
  } catch (error) {
    log.warn({ event: 'endpoint.record_failed', err: error, endpoint: endpointId }, 'job outcome not recorded');
  }
}
