import type { Attempt } from '../db/attempts/attempt-table.ts';

/** Returns the ids that every log line about an attempt has. */
export function attemptIds({ taskId, attempt, endpointId }: Pick<Attempt, 'taskId' | 'attempt' | 'endpointId'>) {
  return { taskId, attempt, endpoint: endpointId };
}

/** Returns the ids that every log line about the job of an attempt has. */
export function jobIds(attempt: Attempt) {
  return { ...attemptIds(attempt), jobId: attempt.engineJobId };
}
