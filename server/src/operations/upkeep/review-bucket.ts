import type { Database } from '../../db/database.ts';
import { taskOfKey } from '../../domain/object-key.ts';
import type { Storage } from '../../storage/storage.ts';

/** How the objects of a bucket's tasks relate to the rows of a database. */
export interface BucketReview {
  /** Old objects that no row names, although their task has ended or has no row. */
  orphaned: string[];
  /** Old objects of tasks that their callers deleted. */
  erased: string[];
  /** All objects of tasks, whatever their age, and those among them whose task has a row. */
  objects: number;
  known: number;
  /** The first day with suspiciously many old objects whose task has no row; the review stops there. */
  suspiciousDay: SuspiciousDay | null;
  /** The newest task of an old object that has no row. */
  newestUnknownTask: string | null;
}

interface SuspiciousDay {
  day: string;
  objects: number;
  unknown: number;
}

interface TaskObject {
  key: string;
  taskId: string;
  isOld: boolean;
}

const tasksPerQuery = 1000;
/** 100,000 keys take about 20 MB. The next sweep finds the others. */
const mostKeys = 100_000;
/** Only a crash between storing an image and committing its task leaves one; more in a day means another database. */
const mostUnknownObjects = 100;
const mostUnknownShare = 0.01;

/**
 * Compares the bucket with the database by day, newest first: an older copy lacks those rows. Objects changed since
 * `youngest` count only as known or not. It ends with the day in which it has as many keys as a sweep should delete.
 */
export async function reviewBucket(
  { db, storage }: { db: Database; storage: Storage },
  youngest: Date,
  { stopAtSuspiciousDay }: { stopAtSuspiciousDay: boolean },
): Promise<BucketReview> {
  const review: BucketReview = {
    orphaned: [],
    erased: [],
    objects: 0,
    known: 0,
    suspiciousDay: null,
    newestUnknownTask: null,
  };
  for (const day of (await storage.listFolders()).toSorted().toReversed()) {
    if (isFull(review)) break;
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) continue;
    const counts: SuspiciousDay = { day, objects: 0, unknown: 0 };
    for await (const batch of taskBatches(storage, day, youngest)) await reviewBatch(db, batch, review, counts);
    const isSuspicious = counts.unknown > mostUnknownObjects && counts.unknown > counts.objects * mostUnknownShare;
    if (isSuspicious) review.suspiciousDay ??= counts;
    if (review.suspiciousDay && stopAtSuspiciousDay) break;
  }
  return review;
}

function isFull({ orphaned, erased }: BucketReview): boolean {
  return orphaned.length + erased.length >= mostKeys;
}

async function reviewBatch(
  db: Database,
  batch: readonly TaskObject[],
  review: BucketReview,
  counts: SuspiciousDay,
): Promise<void> {
  const rows = await db.tasks.namedObjects([...new Set(batch.map(({ taskId }) => taskId))]);
  for (const { key, taskId, isOld } of batch) {
    const row = rows.get(taskId);
    review.objects += 1;
    if (row) review.known += 1;
    if (!isOld) continue;
    counts.objects += 1;
    if (!row) {
      counts.unknown += 1;
      if (review.newestUnknownTask === null || taskId > review.newestUnknownTask) review.newestUnknownTask = taskId;
    }
    if (row?.isActive || row?.keys.includes(key)) continue;
    if (isFull(review)) continue;
    if (row?.isDeleted) review.erased.push(key);
    else review.orphaned.push(key);
  }
}

/** Yields the objects of a day's tasks in batches of at most a thousand tasks, because one query reads their rows. */
async function* taskBatches(storage: Storage, day: string, youngest: Date): AsyncGenerator<TaskObject[]> {
  let batch: TaskObject[] = [];
  let tasks = 0;
  for await (const { key, modifiedAt } of storage.list(`${day}/`)) {
    const taskId = taskOfKey(key);
    if (taskId === null) continue;
    // Objects come in the order of their keys, so those of a task are neighbours.
    if (batch.at(-1)?.taskId !== taskId) tasks += 1;
    if (tasks > tasksPerQuery) {
      yield batch;
      batch = [];
      tasks = 1;
    }
    batch.push({ key, taskId, isOld: modifiedAt <= youngest });
  }
  if (batch.length > 0) yield batch;
}
