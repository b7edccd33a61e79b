import type { DayNeeds, OldPartitions, Partition } from '../../db/connection/old-partitions.ts';
import type { Clock } from '../../domain/clock.ts';

export interface Retention {
  /** Days to keep tasks, attempts, events and webhook deliveries. */
  recordDays: number;
  usageDays: number;
}

interface Dependencies {
  partitions: OldPartitions;
  clock: Clock;
  retention: Retention;
}

/** Partition names; `dropped` would be in a dry run. `kept`: expired, but a task of the day is open or has files. */
export interface DroppedPartitions {
  dropped: string[];
  kept: string[];
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Drops expired partitions, each of a whole day, beginning with those that an earlier run left half dropped. */
export async function dropOldDays(
  { partitions, clock, retention }: Dependencies,
  options: { isDryRun: boolean },
): Promise<DroppedPartitions> {
  const now = clock.now();
  const old = (await partitions.list()).filter((partition) => isExpired(partition, retention, now));
  const halfDropped = old.filter(({ isHalfDropped }) => isHalfDropped);
  const others = old.filter(({ isHalfDropped }) => !isHalfDropped);
  const needs = await needsByDay(partitions, others);
  const result: DroppedPartitions = { dropped: [], kept: [] };
  for (const partition of [...halfDropped, ...others]) {
    const isKept = !partition.isHalfDropped && isNeeded(partition, needs.get(partition.day));
    if (isKept) result.kept.push(partition.name);
    else if (options.isDryRun || (await partitions.drop(partition))) result.dropped.push(partition.name);
  }
  return result;
}

/** Returns whether even the last moment of a partition's day is older than the retention. */
function isExpired({ table, day }: Partition, { recordDays, usageDays }: Retention, now: Date): boolean {
  const days = table === 'usage' ? usageDays : recordDays;
  return Date.parse(`${day}T00:00:00Z`) + (days + 1) * dayMilliseconds <= now.getTime();
}

/** Tables that are read together are dropped together. A task's end writes usage into the day of its creation. */
function isNeeded({ table }: Partition, needs: DayNeeds | undefined): boolean {
  if (table === 'usage') return needs?.hasOpenTasks ?? false;
  const isOfTasks = table === 'tasks' || table === 'attempts' || table === 'events';
  return isOfTasks && needs !== undefined && (needs.hasOpenTasks || needs.hasFiles);
}

async function needsByDay(partitions: OldPartitions, old: readonly Partition[]): Promise<Map<string, DayNeeds>> {
  const days = [...new Set(old.map(({ day }) => day))];
  return new Map(await Promise.all(days.map(async (day) => [day, await partitions.needsOf(day)] as const)));
}
