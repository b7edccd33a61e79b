import type { Database } from '../db/database.ts';
import type { LiveEntry } from '../db/live-entries.ts';
import type { TaskChange } from '../db/tasks.ts';
import type { Clock } from '../domain/clock.ts';
import type { Task } from '../domain/task.ts';
import type { Log } from '../telemetry/log.ts';

const flushEveryMilliseconds = 500;

/** The fields that a notice of a task's progress needs. */
type Followed = Pick<Task, 'id' | 'projectId' | 'livemode' | 'version'>;

/** Progress of the tasks this process works on. Losing it loses percentages, nothing else. */
export interface Live {
  /** Reports a task's progress; only the newest report of each half second is written. */
  report(task: Followed, entry: LiveEntry): void;
  close(): Promise<void>;
}

interface Dependencies {
  db: Pick<Database, 'liveEntries'>;
  clock: Clock;
  log: Log;
  /** Called for every task whose progress was written. */
  onWritten?: (change: TaskChange) => void;
}

/** Collects reports and writes them in one statement, so that the cost does not grow with the number of steps. */
export function createLive({ db, clock, log, onWritten }: Dependencies): Live {
  const pending = new Map<string, { task: Followed; entry: LiveEntry }>();
  const flush = async (): Promise<void> => {
    const reports = [...pending.values()];
    pending.clear();
    try {
      await db.liveEntries.write(
        reports.map(({ task, entry }) => ({ taskId: task.id, ...entry })),
        clock.now(),
      );
    } catch (error) {
      log.debug({ event: 'progress.write_failed', err: error }, 'progress not stored');
      return;
    }
    for (const { task } of reports) {
      onWritten?.({ taskId: task.id, projectId: task.projectId, livemode: task.livemode, version: task.version });
    }
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, flushEveryMilliseconds);
  return {
    report: ({ id, projectId, livemode, version }, entry) => {
      pending.set(id, { task: { id, projectId, livemode, version }, entry });
    },
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
