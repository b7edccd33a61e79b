import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';

const clearMilliseconds = 100;

export interface OutboxClearing {
  /** Deletes the row soon. Does nothing after `close`: the relay finds that its work is done, and deletes it. */
  add(outboxId: string): void;
  /** Deletes the rows that are left, and waits for those that are being deleted. */
  close(): Promise<void>;
}

interface Dependencies {
  db: Pick<Database, 'outbox'>;
  clock: Clock;
  log: Log;
}

/** Deletes outbox rows whose work is done, in batches: one statement for many rows instead of a commit each. */
export function createOutboxClearing({ db, clock, log }: Dependencies): OutboxClearing {
  const ids: string[] = [];
  let stop: (() => void) | null = null;
  let cleared = Promise.resolve();
  let isClosed = false;
  const clear = (): Promise<void> => {
    stop = null;
    cleared = cleared
      .then(() => db.outbox.delete(ids.splice(0)))
      .catch((error: unknown) => log.warn({ event: 'outbox.delete_failed', err: error }, 'outbox rows not deleted'));
    return cleared;
  };
  return {
    add(outboxId) {
      if (isClosed) return;
      ids.push(outboxId);
      stop ??= clock.after(clearMilliseconds, () => void clear());
    },
    close: () => {
      isClosed = true;
      stop?.();
      return clear();
    },
  };
}
