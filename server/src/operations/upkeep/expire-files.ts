import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { taskFolder } from '../../domain/object-key.ts';
import type { Storage } from '../../storage/storage.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
}

/** What was deleted, or would be in a dry run. `hasMore` means that the next round has more to do. */
export interface Expired {
  tasks: number;
  uploads: number;
  objects: number;
  hasMore: boolean;
}

/** Rows whose files are deleted together: first the objects, then the rows are marked. */
interface Batch {
  tasks: number;
  uploads: number;
  objectKeys: string[];
  markDeleted(): Promise<void>;
}

const batchSize = 500;
/** 12,000 tasks per round: more than end in a minute if ten million end in a day. */
const batchesPerRound = 24;

/**
 * Deletes the expired files of tasks, the files of tasks that their callers deleted, and expired uploads. A process
 * that dies between deleting objects and marking rows leaves work for the next round, never an unknown object.
 */
export async function expireFiles(dependencies: Dependencies, options: { isDryRun: boolean }): Promise<Expired> {
  const sum: Expired = { tasks: 0, uploads: 0, objects: 0, hasMore: false };
  // A dry run marks no rows, so it can only count the first batch of each kind.
  const limit = options.isDryRun ? 1 : batchesPerRound;
  for (const next of [expiredTasks, expiredUploads]) {
    for (let batches = 1; ; batches += 1) {
      const batch = await next(dependencies);
      sum.tasks += batch.tasks;
      sum.uploads += batch.uploads;
      sum.objects += batch.objectKeys.length;
      if (!options.isDryRun) {
        await dependencies.storage.delete(batch.objectKeys);
        await batch.markDeleted();
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
    markDeleted: () => db.taskFiles.markDeleted(tasks.map(({ taskId }) => taskId)),
  };
}

async function expiredUploads({ db, clock }: Dependencies): Promise<Batch> {
  const files = await db.files.takeExpired(clock.now(), batchSize);
  return {
    tasks: 0,
    uploads: files.length,
    objectKeys: files.map(({ objectKey }) => objectKey),
    markDeleted: () => db.files.delete(files.map(({ id }) => id)),
  };
}
