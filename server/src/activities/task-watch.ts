import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import type { TaskStatus } from '../domain/task.ts';

const readEveryMilliseconds = 1_000;

interface TaskState {
  status: TaskStatus;
  attempt: number;
}

export interface TaskWatch {
  /** Returns the row as it was within the last second; null until it was first read. */
  state(taskId: string): TaskState | null;
  watch(taskId: string): void;
  unwatch(taskId: string): void;
  close(): void;
}

/** Reads the rows of all tasks that this worker renders, once per second and in one query. */
export function createTaskWatch({ db, clock }: { db: Pick<Database, 'tasks'>; clock: Clock }): TaskWatch {
  // A task may be watched twice at once: by an activity that Temporal gave up and by the one that follows it.
  const watched = new Map<string, { state: TaskState | null; watchers: number }>();
  let isReading = false;
  const readStates = async (): Promise<void> => {
    if (isReading || watched.size === 0) return;
    isReading = true;
    try {
      const states = await db.tasks.states([...watched.keys()]);
      for (const [taskId, state] of states) {
        const entry = watched.get(taskId);
        if (entry) entry.state = state;
      }
    } catch {
      // Postgres is unreachable: the last state stays valid until it is back.
    } finally {
      isReading = false;
    }
  };
  const stop = clock.every(readEveryMilliseconds, () => void readStates());
  return {
    state: (taskId) => watched.get(taskId)?.state ?? null,
    watch: (taskId) => {
      const entry = watched.get(taskId) ?? { state: null, watchers: 0 };
      watched.set(taskId, { ...entry, watchers: entry.watchers + 1 });
    },
    unwatch: (taskId) => {
      const entry = watched.get(taskId);
      if (entry && entry.watchers > 1) entry.watchers -= 1;
      else watched.delete(taskId);
    },
    close: stop,
  };
}
