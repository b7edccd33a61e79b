import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { isSeen } from '../domain/seen-endpoint.ts';
import type { Registry } from '../engines/registry.ts';
import type { SlotBoard } from './slot-board.ts';

/** 30 s: an attempt may cost minutes of a GPU, so it is worth a wait for an endpoint that has not just failed. */
export const requeueMilliseconds = 30_000;

interface Dependencies {
  db: Database;
  registry: Registry;
  board: SlotBoard;
  clock: Clock;
}

/**
 * Returns whether a retried task should go back into the queue, for another worker: the endpoint that failed it up to 30 s
 * ago is the only one that this worker could give it to, while other workers have endpoints of the pool that accept jobs.
 */
export async function shouldRequeue(
  { db, registry, board, clock }: Dependencies,
  { taskId, attempt, endpointId }: Attempt,
): Promise<boolean> {
  if (board.isAcceptingBeside(endpointId)) return false;
  const pool = registry.find(endpointId)?.pool;
  const beside = new Set(registry.endpoints().flatMap(({ id, ...other }) => (other.pool === pool ? [id] : [])));
  beside.delete(endpointId);
  if (beside.size === 0) return false;
  const failed = (await db.attempts.list(taskId)).find((former) => former.attempt === attempt);
  const now = clock.now().getTime();
  if (!failed?.endedAt || now - failed.endedAt.getTime() > requeueMilliseconds) return false;
  const states = await db.endpointStates.list();
  return states.some((state) => beside.has(state.endpointId) && state.isAccepting && isSeen(state));
}
