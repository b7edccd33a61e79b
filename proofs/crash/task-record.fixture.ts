import type { TaskRecord } from './history.ts';

/** Returns a task that ended at its first attempt, without files. */
export function taskRecord(id: string, clientId: string | null, status: string): TaskRecord {
  const unused = { failedAttempts: 0, restarts: 0, errorCode: null, video: null, imageKey: null };
  return { id, clientId, status, attempt: 1, ...unused };
}
