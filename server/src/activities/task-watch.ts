import type { Database } from '../db/database.ts';
import type { TaskStatus } from '../domain/task.ts';

const askEveryMilliseconds = 1_000;

interface TaskState {
  status: TaskStatus;
  attempt: number;
}

export interface TaskWatch {
  /** The row as it was within the last second; null until it was first read. */
  state(taskId: string): TaskState | null;
  watch(taskId: string): void;
  unwatch(taskId: string): void;
  close(): void;
}

/** Reads the rows of all tasks this worker renders, once a second and in one query. */
export function createTaskWatch({ db }: { db: Pick<Database, 'tasks'> }): TaskWatch {
  // A task may be watched twice at once: by an activity that was given up and by the one that follows it.
  const watched = new Map<string, { state: TaskState | null; watchers: number }>();
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking || watched.size === 0) return;
    isAsking = true;
    try {
      const states = await db.tasks.states([...watched.keys()]);
      for (const [taskId, state] of states) {
        const entry = watched.get(taskId);
        if (entry) entry.state = state;
      }
    } catch {
      // Postgres is away: what was true a second ago stands until it is back.
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), askEveryMilliseconds);
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
    close: () => clearInterval(timer),
  };
}
