import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';

const minuteMilliseconds = 60_000;
/** Beyond this, new keys are not noted until a write succeeds: it bounds memory while Postgres is unreachable. */
const maximumPending = 10_000;

export interface KeyUse {
  /** Remembers that a key was accepted, without a query. */
  note(keyId: string): void;
  /** Writes the remembered uses. */
  flush(): Promise<void>;
  /** Writes the remembered uses and stops. */
  close(): Promise<void>;
}

interface Parts {
  db: Pick<Database, 'apiKeys'>;
  clock: Clock;
  log: Log;
  flushEveryMilliseconds?: number | undefined;
}

/** Records the last use of keys, to the minute: at most a part of one statement per minute, which no request awaits. */
export function createKeyUse({ db, clock, log, flushEveryMilliseconds = 5_000 }: Parts): KeyUse {
  /** The minute of the last use that is not written yet, by key. */
  let pending = new Map<string, number>();
  /** The keys that were written for the current minute. */
  let written = new Set<string>();
  let writtenMinute = 0;

  const write = async (): Promise<void> => {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await db.apiKeys.noteUse([...batch].map(([keyId, minute]) => ({ keyId, at: new Date(minute) })));
      for (const [keyId, minute] of batch) if (minute === writtenMinute) written.add(keyId);
    } catch (error) {
      log.warn({ event: 'key_use.write_failed', err: error, keys: batch.size }, 'last use of keys not stored');
      for (const [keyId, minute] of batch) if (!pending.has(keyId)) pending.set(keyId, minute);
    }
  };
  let writing = Promise.resolve();
  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };
  const stop = clock.every(flushEveryMilliseconds, () => void flush());

  return {
    note: (keyId) => {
      const now = clock.now().getTime();
      const minute = now - (now % minuteMilliseconds);
      if (minute !== writtenMinute) {
        writtenMinute = minute;
        written = new Set();
      }
      if (written.has(keyId) || (pending.size >= maximumPending && !pending.has(keyId))) return;
      pending.set(keyId, minute);
    },
    flush,
    close: async () => {
      stop();
      await flush();
    },
  };
}
