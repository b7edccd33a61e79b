import type { AdvisoryLock } from '../db/connection/lock-session.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../telemetry/log.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  log: Log;
  lock: Pick<AdvisoryLock, 'isHeld'>;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Once a day, if this relay holds the lock, corrects counts of stored bytes and files: two would correct twice. */
export function dailyRecount({ db, clock, log, lock }: Dependencies): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    if (clock.now().getTime() < dueAt || !lock.isHeld()) return;
    for (const correction of await db.storedBytes.miscounted()) {
      await db.storedBytes.correct(correction);
      log.warn({ event: 'storage.recounted', ...correction }, 'count of stored bytes corrected');
    }
    dueAt = clock.now().getTime() + dayMilliseconds;
  };
}
