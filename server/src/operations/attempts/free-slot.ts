import type { Attempt } from '../../db/attempts/attempt-table.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';

/** Frees an ended job's slot for the next task while this one is finished. False if another process took over. */
export async function freeSlot({ db, clock }: { db: Database; clock: Clock }, attempt: Attempt): Promise<boolean> {
  if (attempt.slotFreedAt !== null) return true;
  const now = clock.now();
  const engineSeconds = Math.max(0, now.getTime() - attempt.beganAt.getTime()) / 1000;
  return db
    .transaction(async (tables) => {
      await tables.tasks.markFinishing(attempt.taskId, attempt.attempt, engineSeconds);
      const isHolder = await tables.attempts.markSlotFreed(attempt, now, engineSeconds);
      if (!isHolder) throw new NotHolder();
      await tables.leases.free(attempt.endpointId, attempt.slot, attempt.fencing);
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof NotHolder) return false;
      throw error;
    });
}

/** Rolls the transaction back: another process holds the attempt now. */
class NotHolder extends Error {}
