import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { taskFolder } from '../../domain/object-key.ts';
import type { Storage } from '../../storage/storage.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
}

/** What went, or in a dry run would go. `hasMore`: the next round has more to do. */
export interface Expired {
  tasks: number;
  uploads: number;
  objects: number;
  hasMore: boolean;
}

/** Rows that lose their files together: objects first, then word of it. */
interface Batch {
  tasks: number;
  uploads: number;
  objectKeys: string[];
  markGone(): Promise<void>;
}

const batchSize = 500;
/** 12,000 tasks a round: more than end in a minute where ten million end in a day. */
const batchesPerRound = 24;

/**
 * Deletes the files of tasks that have had their time or were deleted by their callers, and uploads that have expired. Whoever
 * dies between the objects and the word of it leaves work for the next round, never an object that no row knows of.
 */
export async function expireFiles(dependencies: Dependencies, options: { isDryRun: boolean }): Promise<Expired> {
  const sum: Expired = { tasks: 0, uploads: 0, objects: 0, hasMore: false };
  // Looking changes nothing, so a dry run sees the first batch of each kind.
  const limit = options.isDryRun ? 1 : batchesPerRound;
  for (const next of [expiredTasks, expiredUploads]) {
    for (let batches = 1; ; batches += 1) {
      const batch = await next(dependencies);
      sum.tasks += batch.tasks;
      sum.uploads += batch.uploads;
      sum.objects += batch.objectKeys.length;
      if (!options.isDryRun) {
        await dependencies.storage.delete(batch.objectKeys);
        await batch.markGone();
      }
      if (batch.tasks + batch.uploads < batchSize) break;
      if (batches === limit) {
        sum.hasMore = true;
        break;
      }
    }
  }
  return sum;
}

async function expiredTasks({ db, storage, clock }: Dependencies): Promise<Batch> {
  const tasks = await db.taskFiles.expired(clock.now(), batchSize);
  const objectKeys = tasks.flatMap((task) => task.objectKeys);
  for (const { taskId } of tasks.filter(({ isDeleted }) => isDeleted)) {
    for await (const { key } of storage.list(`${taskFolder(taskId)}/`)) objectKeys.push(key);
  }
  return {
    tasks: tasks.length,
    uploads: 0,
    objectKeys: [...new Set(objectKeys)],
    markGone: () => db.taskFiles.markGone(tasks.map(({ taskId }) => taskId)),
  };
}

async function expiredUploads({ db, clock }: Dependencies): Promise<Batch> {
  const files = await db.files.takeExpired(clock.now(), batchSize);
  return {
    tasks: 0,
    uploads: files.length,
    objectKeys: files.map(({ objectKey }) => objectKey),
    markGone: () => db.files.delete(files.map(({ id }) => id)),
  };
}
