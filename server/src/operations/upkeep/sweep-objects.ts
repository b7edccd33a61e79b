import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { taskOfKey } from '../../domain/object-key.ts';
import type { Storage, UnfinishedUpload } from '../../storage/storage.ts';
import { readInstallationMarker, writeInstallationMarker } from './installation-marker.ts';
import { type BucketReview, reviewBucket } from './review-bucket.ts';
import { findExpiredTrash, moveToTrash } from './trash.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
}

interface SweepOptions {
  /** Younger objects may belong to work in progress. */
  olderThanSeconds: number;
  isDryRun: boolean;
  /** Whether an operator knows why the database lacks the rows of many objects. */
  acceptUnknown?: boolean;
}

/** Why a sweep changed nothing: this database does not seem to be the one that belongs to the bucket. */
export interface SweepRefusal {
  reason: 'other_installation' | 'older_database' | 'too_many_unknown' | 'unclaimed_bucket';
  explanation: string;
}

/** What a sweep did, or would do in a dry run. */
export interface Swept {
  /** Keys of orphaned objects, which were moved to the trash. */
  trashed: string[];
  /** Keys of objects that were deleted because their callers deleted the tasks. */
  erased: string[];
  /** How many objects were deleted from the trash. */
  emptied: number;
  abortedUploads: number;
}

/** No upload takes that long. */
const oldestUploadMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Moves old objects without a row, after a crash or a lost race, to the trash, and deletes week-old trash and
 * interrupted uploads. Changes nothing if a restored, empty or wrong database makes every video look orphaned.
 */
export async function sweepObjects(dependencies: Dependencies, options: SweepOptions): Promise<SweepRefusal | Swept> {
  const { db, storage, clock } = dependencies;
  const now = clock.now();
  const installationId = await db.installation.id();
  const marker = await readInstallationMarker(storage);
  if (marker !== null && marker !== installationId) return otherInstallation(marker, installationId);
  const acceptUnknown = options.acceptUnknown ?? false;
  const youngest = new Date(now.getTime() - options.olderThanSeconds * 1000);
  const review = await reviewBucket(dependencies, youngest, { stopAtSuspiciousDay: !acceptUnknown });
  const refusal =
    (acceptUnknown ? null : refusalOf(review, await db.tasks.newest())) ??
    (marker === null && review.objects > 0 && review.known === 0 ? unclaimedBucket : null);
  if (refusal) return refusal;
  const { orphaned, erased } = review;
  const expired = await findExpiredTrash(storage, now);
  const uploads = await findInterruptedUploads(storage, now);
  if (!options.isDryRun) {
    if (marker === null) await writeInstallationMarker(storage, installationId);
    await storage.delete(erased);
    await moveToTrash(storage, orphaned, now);
    await storage.delete(expired);
    for (const upload of uploads) await storage.abortUpload(upload);
  }
  return { trashed: orphaned, erased, emptied: expired.length, abortedUploads: uploads.length };
}

function otherInstallation(marker: string, installationId: string): SweepRefusal {
  return {
    reason: 'other_installation',
    explanation: `The bucket belongs to the installation ${marker}, but the database is that of ${installationId}.`,
  };
}

const unclaimedBucket: SweepRefusal = {
  reason: 'unclaimed_bucket',
  explanation: 'No installation has claimed the bucket, and the database knows none of its objects.',
};

function refusalOf({ suspiciousDay, newestUnknownTask }: BucketReview, newestTask: string | null): SweepRefusal | null {
  if (suspiciousDay) {
    const { day, objects, unknown } = suspiciousDay;
    return {
      reason: 'too_many_unknown',
      explanation: `The database has no rows for ${unknown} of ${objects} objects of ${day}.`,
    };
  }
  if (newestUnknownTask !== null && (newestTask === null || newestUnknownTask > newestTask))
    return {
      reason: 'older_database',
      explanation: `The bucket has objects of ${newestUnknownTask}, which is newer than every task in the database.`,
    };
  return null;
}

/** Returns uploads of tasks' files that a process began and did not live to complete or abort. */
async function findInterruptedUploads(storage: Storage, now: Date): Promise<UnfinishedUpload[]> {
  const youngest = new Date(now.getTime() - oldestUploadMilliseconds);
  const uploads: UnfinishedUpload[] = [];
  for await (const upload of storage.listUnfinishedUploads()) {
    if (upload.begunAt <= youngest && taskOfKey(upload.key) !== null) uploads.push(upload);
  }
  return uploads;
}
