import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';

export interface WaitingLimit {
  /** Throws while more tasks wait in the whole installation than its operator allows. */
  refuseBeyond(): Promise<void>;
}

const freshMilliseconds = 3_000;
const retryAfterSeconds = 30;

/** Guards the installation's waiting limit. It protects the machine, not a promise, so a count may be seconds old. */
export function createWaitingLimit({
  db,
  clock,
  limit,
}: {
  db: Pick<Database, 'projectSlots'>;
  clock: Clock;
  limit: number;
}): WaitingLimit {
  let counted: { at: number; waiting: Promise<number> } | null = null;

  const waiting = (): Promise<number> => {
    const now = clock.now().getTime();
    if (counted && now - counted.at < freshMilliseconds) return counted.waiting;
    const count = { at: now, waiting: db.projectSlots.countWaiting() };
    counted = count;
    count.waiting.catch(() => {
      if (counted === count) counted = null;
    });
    return count.waiting;
  };

  return {
    async refuseBeyond() {
      if ((await waiting()) < limit) return;
      throw new AppError('overloaded', {
        retryAfterSeconds,
        message: `Waiting task limit of this installation reached (${limit}). Try again in ${retryAfterSeconds} s.`,
      });
    },
  };
}
