import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';

/** 10 min: far longer than a models file takes to reach all processes. After that, the file here is simply wrong. */
const patienceMilliseconds = 600_000;
/** An owner records its endpoint every 10 s, so one that was not recorded for a minute has no owner. */
const recordedSeconds = 60;

/** How long a task or job that only another process knows stays away from this one. */
export const leftMilliseconds = 5_000;

/** Tells whether a task or job that this process cannot serve should be left to another process. */
export interface OtherWorkers {
  /** Returns whether the models file of another process has the model that is missing here. */
  hasModel(taskId: string, model: string): Promise<boolean>;
  /** Returns whether another process has the endpoint that is missing here, in its models file or until its jobs end. */
  hasEndpoint(taskId: string, endpointId: string): Promise<boolean>;
}

/** Another process may know what this models file lacks. A task waits for that at most ten minutes. */
export function createOtherWorkers({ db, clock }: { db: Database; clock: Clock }): OtherWorkers {
  const firstSeen = new Map<string, number>();

  const isPatient = (taskId: string): boolean => {
    const now = clock.now().getTime();
    // Entries are in the order of their time. A task that comes back later than this counts anew.
    for (const [id, since] of firstSeen) {
      if (now - since < 2 * patienceMilliseconds) break;
      firstSeen.delete(id);
    }
    const since = firstSeen.get(taskId) ?? now;
    firstSeen.set(taskId, since);
    return now - since < patienceMilliseconds;
  };

  return {
    hasModel: async (taskId, model) => isPatient(taskId) && db.processes.haveModel(model),
    hasEndpoint: async (taskId, endpointId) => {
      if (!isPatient(taskId)) return false;
      const seenSecondsAgo = (await db.endpointStates.find(endpointId))?.seenSecondsAgo ?? null;
      return (seenSecondsAgo !== null && seenSecondsAgo < recordedSeconds) || db.processes.haveEndpoint(endpointId);
    },
  };
}
