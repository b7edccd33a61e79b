import type { LiveEntry } from '../db/attempts/live-entry-table.ts';
import type { Database } from '../db/database.ts';
import type { TaskChange } from '../db/tasks/task-table.ts';
import type { Clock } from '../domain/clock.ts';
import type { Task } from '../domain/task.ts';
import type { Log } from '../telemetry/log.ts';

const flushEveryMilliseconds = 500;
/** A repeated report is written this often, as a sign of life: the reconciler checks tasks without one after 60 s. */
const repeatAfterMilliseconds = 10_000;

/** The fields that a notice of a task's progress needs. */
type Followed = Pick<Task, 'id' | 'projectId' | 'livemode' | 'version'>;

/** Progress of the tasks this process works on. Losing it loses percentages, nothing else. */
export interface Live {
  /** Reports a task's progress; only the newest report of each half second is written, and only if it says something new. */
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

/** Writes the reports of all jobs in one statement. Polls that repeat the previous one, as most do, cost nothing. */
export function createLive({ db, clock, log, onWritten }: Dependencies): Live {
  const pending = new Map<string, { task: Followed; entry: LiveEntry }>();
  /** What was written in the last 10 s, by task. */
  const written = new Map<string, { text: string; at: number }>();
  const flush = async (): Promise<void> => {
    const now = clock.now();
    for (const [id, { at }] of written) if (now.getTime() - at >= repeatAfterMilliseconds) written.delete(id);
    const reports = [...pending.values()].filter(({ task, entry }) => written.get(task.id)?.text !== textOf(entry));
    pending.clear();
    try {
      await db.liveEntries.write(
        reports.map(({ task, entry }) => ({ taskId: task.id, ...entry })),
        now,
      );
    } catch (error) {
      log.debug({ event: 'progress.write_failed', err: error }, 'progress not stored');
      return;
    }
    for (const { task, entry } of reports) {
      written.set(task.id, { text: textOf(entry), at: now.getTime() });
      onWritten?.({ taskId: task.id, projectId: task.projectId, livemode: task.livemode, version: task.version });
    }
  };
  let flushing = Promise.resolve();
  const stop = clock.every(flushEveryMilliseconds, () => {
    flushing = flushing.then(flush);
  });
  return {
    report: ({ id, projectId, livemode, version }, entry) => {
      pending.set(id, { task: { id, projectId, livemode, version }, entry });
    },
    close: async () => {
      stop();
      await flushing;
      await flush();
    },
  };
}

function textOf({ attempt, stage, progress, progressSource }: LiveEntry): string {
  return `${attempt} ${stage} ${progress} ${progressSource}`;
}
