import type { Database } from '../db/database.ts';
import type { TaskStatus } from '../domain/task.ts';

const askEveryMilliseconds = 1_000;

interface Standing {
  status: TaskStatus;
  attempt: number;
}

export interface TaskWatch {
  /** The row as it was within the last second; null until it was first read. */
  standing(taskId: string): Standing | null;
  watch(taskId: string): void;
  unwatch(taskId: string): void;
  close(): void;
}

/** Reads the rows of all tasks this worker renders, once a second and in one query. */
export function createTaskWatch({ db }: { db: Pick<Database, 'tasks'> }): TaskWatch {
  const watched = new Map<string, Standing | null>();
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking || watched.size === 0) return;
    isAsking = true;
    try {
      const standings = await db.tasks.standing([...watched.keys()]);
      for (const [taskId, standing] of standings) if (watched.has(taskId)) watched.set(taskId, standing);
    } catch {
      // Postgres is away: what was true a second ago stands until it is back.
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), askEveryMilliseconds);
  return {
    standing: (taskId) => watched.get(taskId) ?? null,
    watch: (taskId) => void watched.set(taskId, null),
    unwatch: (taskId) => void watched.delete(taskId),
    close: () => clearInterval(timer),
  };
}
