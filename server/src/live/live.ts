import type { Database } from '../db/database.ts';
import type { LiveEntry } from '../db/live-entries.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../telemetry/log.ts';

const flushEveryMilliseconds = 500;

/** Progress of the tasks this process works on. Losing it loses percentages, nothing else. */
export interface Live {
  /** Notes where a task stands; only the newest note of each half second is written. */
  report(taskId: string, entry: LiveEntry): void;
  close(): Promise<void>;
}

/** Collects notes and writes them in one statement, so that the cost does not grow with the number of steps. */
export function createLive({ db, clock, log }: { db: Pick<Database, 'liveEntries'>; clock: Clock; log: Log }): Live {
  const pending = new Map<string, LiveEntry>();
  const flush = async (): Promise<void> => {
    const updates = [...pending].map(([taskId, entry]) => ({ taskId, ...entry }));
    pending.clear();
    await db.liveEntries
      .write(updates, clock.now())
      .catch((error: unknown) => log.debug({ err: error }, 'progress not written'));
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, flushEveryMilliseconds);
  return {
    report: (taskId, entry) => {
      pending.set(taskId, entry);
    },
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
