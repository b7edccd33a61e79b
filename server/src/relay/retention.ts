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
  auditDays: number;
}

/** Deletes expired files; the next round deletes those that this one leaves. */
export async function expire(parts: RetentionParts): Promise<void> {
  const { log, metrics } = parts;
  const { hasMore, ...deleted } = await expireFiles(parts, { isDryRun: false });
  for (const [kind, count] of Object.entries(deleted)) metrics.expired(kind, count);
  if (deleted.tasks + deleted.uploads > 0)
    log.info({ event: 'files.expired', ...deleted, hasMore }, 'expired files deleted');
}

/**
 * Deletes old rows outside partitions: progress and engine reports of a day ago, expired idempotency keys, usage sums
 * and audit events.
 */
export async function deleteOldRows(parts: RetentionParts): Promise<void> {
  const { db, clock, metrics, idempotencyDays, retention, auditDays } = parts;
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * daySeconds * 1000);
  await untilNoneIsLeft(() => db.liveEntries.deleteOlderThan(daysAgo(1), rowsPerStatement));
  await untilNoneIsLeft(() => db.engineReports.deleteOlderThan(daysAgo(1), rowsPerStatement));
  await untilNoneIsLeft(() => db.usageSums.deleteOlderThan(daysAgo(retention.usageDays + 1), rowsPerStatement));
  const keys = await untilNoneIsLeft(() =>
    db.idempotencyKeys.deleteOlderThan(daysAgo(idempotencyDays), rowsPerStatement),
  );
  metrics.expired('idempotency_keys', keys);
  const auditEvents = await untilNoneIsLeft(() => db.auditEvents.deleteOlderThan(daysAgo(auditDays), rowsPerStatement));
  metrics.expired('audit_events', auditEvents);
}

/** Drops expired partitions of records and usage. */
export async function dropDays(parts: RetentionParts): Promise<void> {
  const { log, metrics } = parts;
  const { dropped, kept } = await dropOldDays(parts, { isDryRun: false });
  metrics.expired('partitions', dropped.length);
  if (dropped.length > 0) log.info({ event: 'partitions.dropped', partitions: dropped }, 'expired partitions dropped');
  // No task waits or runs for that long, so a person should look at what keeps a partition.
  if (kept.length > 0) log.warn({ event: 'partitions.kept', partitions: kept }, 'expired partitions kept');
}

async function untilNoneIsLeft(deleteSome: () => Promise<number>): Promise<number> {
  for (let sum = 0; ; ) {
    const deleted = await deleteSome();
    sum += deleted;
    if (deleted < rowsPerStatement) return sum;
  }
}
