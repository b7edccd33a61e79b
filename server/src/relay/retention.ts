import type { OldPartitions } from '../db/connection/old-partitions.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { dropOldDays, type Retention } from '../operations/upkeep/drop-old-days.ts';
import { expireFiles } from '../operations/upkeep/expire-files.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** 2,000 rows per statement: their locks are held for a fraction of a second. */
const rowsPerStatement = 2_000;
/** 40,000 rows of a table per minute: five times as many as an installation that accepts ten million tasks per day adds. */
const statementsPerRound = 20;
/** A task ends 14 h after its wait limit at the latest, and its progress is shown for a day after its end. */
const progressHoursAfterWait = 48;
const hourMilliseconds = 60 * 60 * 1000;

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
  waitLimitHours: number;
}

/** Deletes expired files; the next round deletes those that this one leaves. */
export async function expire(parts: RetentionParts): Promise<void> {
  const { log, metrics } = parts;
  const { hasMore, ...deleted } = await expireFiles(parts, { isDryRun: false });
  for (const [kind, count] of Object.entries(deleted)) metrics.expired(kind, count);
  if (deleted.tasks + deleted.uploads > 0)
    log.info({ event: 'files.expired', ...deleted, hasMore }, 'expired files deleted');
}

/** Deletes old rows outside partitions, a bounded number of each per round, so that rows go as evenly as they came. */
export async function deleteOldRows(parts: RetentionParts): Promise<void> {
  const { db, clock, metrics, idempotencyDays, retention, auditDays, waitLimitHours } = parts;
  const hoursAgo = (hours: number) => new Date(clock.now().getTime() - hours * hourMilliseconds);
  const daysAgo = (days: number) => hoursAgo(24 * days);
  const taskAge = hoursAgo(waitLimitHours + progressHoursAfterWait);
  await inBatches((limit) => db.liveEntries.deleteCreatedBefore(taskAge, limit));
  await inBatches((limit) => db.endpointStates.deleteLeft(limit));
  await inBatches((limit) => db.engineReports.deleteOlderThan(daysAgo(1), limit));
  await inBatches((limit) => db.usageSums.deleteOlderThan(daysAgo(retention.usageDays + 1), limit));
  await inBatches((limit) => db.consoleSessions.deleteEnded(clock.now(), limit));
  await inBatches((limit) => db.signInTokens.deleteExpired(clock.now(), limit));
  const keys = await inBatches((limit) => db.idempotencyKeys.deleteOlderThan(daysAgo(idempotencyDays), limit));
  metrics.expired('idempotency_keys', keys);
  const auditEvents = await inBatches((limit) => db.auditEvents.deleteOlderThan(daysAgo(auditDays), limit));
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

async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (let statements = 1; statements <= statementsPerRound; statements += 1) {
    const deleted = await deleteSome(rowsPerStatement);
    sum += deleted;
    if (deleted < rowsPerStatement) break;
  }
  return sum;
}
