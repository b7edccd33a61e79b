import type { Database } from '../db/database.ts';
import type { OldPartitions } from '../db/old-partitions.ts';
import type { Clock } from '../domain/clock.ts';
import { dropOldDays, type Retention } from '../operations/upkeep/drop-old-days.ts';
import { expireFiles } from '../operations/upkeep/expire-files.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const rowsPerStatement = 10_000;
const daySeconds = 24 * 60 * 60;

export interface RetentionParts {
  db: Database;
  storage: Storage;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  partitions: OldPartitions;
  retention: Retention;
  idempotencyDays: number;
}

/** Files that have had their time go; a round that leaves some is followed by the next. */
export async function expire(parts: RetentionParts): Promise<void> {
  const { log, metrics } = parts;
  const { hasMore, ...gone } = await expireFiles(parts, { isDryRun: false });
  for (const [kind, count] of Object.entries(gone)) metrics.expired(kind, count);
  if (gone.tasks + gone.uploads > 0) log.info({ event: 'files.expired', ...gone, hasMore }, 'expired files deleted');
}

/** Rows that stand in no partition: progress and engines' words of a day ago, and keys that no request may repeat any more. */
export async function deleteOldRows({ db, clock, metrics, idempotencyDays }: RetentionParts): Promise<void> {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * daySeconds * 1000);
  await untilNoneIsLeft(() => db.liveEntries.deleteOlderThan(daysAgo(1), rowsPerStatement));
  await untilNoneIsLeft(() => db.engineReports.deleteOlderThan(daysAgo(1), rowsPerStatement));
  const keys = await untilNoneIsLeft(() =>
    db.idempotencyKeys.deleteOlderThan(daysAgo(idempotencyDays), rowsPerStatement),
  );
  metrics.expired('idempotency_keys', keys);
}

/** Whole days of records and usage that have had their time are dropped. */
export async function dropDays(parts: RetentionParts): Promise<void> {
  const { log, metrics } = parts;
  const { dropped, kept } = await dropOldDays(parts, { isDryRun: false });
  metrics.expired('partitions', dropped.length);
  if (dropped.length > 0) log.info({ event: 'partitions.dropped', partitions: dropped }, 'expired partitions dropped');
  // Nothing waits or runs for so long: what keeps a day is for a person to look at.
  if (kept.length > 0) log.warn({ event: 'partitions.kept', partitions: kept }, 'expired partitions kept');
}

async function untilNoneIsLeft(deleteSome: () => Promise<number>): Promise<number> {
  for (let sum = 0; ; ) {
    const deleted = await deleteSome();
    sum += deleted;
    if (deleted < rowsPerStatement) return sum;
  }
}
