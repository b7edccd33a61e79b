import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../../domain/id.ts';
import type { Schema } from './schema.ts';

export const partitionedTables = [
  'tasks',
  'attempts',
  'events',
  'usage',
  'webhook_deliveries',
  'webhook_tries',
] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** How many days ahead partitions are created; `/readyz` fails if fewer than `minimumDaysAhead` are left. */
const daysAhead = 14;
export const minimumDaysAhead = 2;

/**
 * Creates the partitions from yesterday (clocks differ) to `daysAhead` days from now. Each is created as a plain table
 * and then attached, which takes no lock that a running query would wait for. Many processes may run it at once.
 */
export async function ensurePartitions(db: Kysely<Schema>, now: Date): Promise<void> {
  await withPartitionLock(db, async (connection) => {
    const existing = await partitionNames(connection);
    for (const table of partitionedTables) {
      for (let day = -1; day <= daysAhead; day += 1) {
        const from = startOfDay(now, day);
        const name = `${table}_${from.toISOString().slice(0, 10).replaceAll('-', '_')}`;
        if (!existing.has(name)) await attachPartition(connection, table, name, from);
      }
    }
  });
}

/** Runs the work as the only process that makes or drops partitions. */
export async function withPartitionLock<T>(
  db: Kysely<Schema>,
  work: (connection: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext('kinora-partitions'))`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(hashtext('kinora-partitions'))`.execute(connection);
    }
  });
}

/** Returns how many days after today have partitions in every table without a gap; -1 if today has none. */
export async function partitionDaysAhead(db: Kysely<Schema>, now: Date): Promise<number> {
  const existing = await partitionNames(db);
  let days = 0;
  const hasDay = (day: number) => {
    const suffix = startOfDay(now, day).toISOString().slice(0, 10).replaceAll('-', '_');
    return partitionedTables.every((table) => existing.has(`${table}_${suffix}`));
  };
  while (days <= daysAhead && hasDay(days)) days += 1;
  return days - 1;
}

/** Returns the lowest UUIDv7 of the day that begins at a moment, and that of the next day. */
export function boundsOfDay(from: Date): readonly [string, string] {
  return [lowestUuidAt(from), lowestUuidAt(new Date(from.getTime() + dayMilliseconds))];
}

/** A page of tasks keeps room for later versions of their rows, because an update within a page changes no index. */
async function attachPartition(db: Kysely<Schema>, table: string, name: string, from: Date): Promise<void> {
  const bounds = boundsOfDay(from);
  for (let tries = 1; ; tries += 1) {
    try {
      await db.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = '2s'`.execute(transaction);
        await sql`create table if not exists ${sql.table(name)} (like ${sql.table(table)} including all)
          ${table === 'tasks' ? sql`with (fillfactor = 80)` : sql``}`.execute(transaction);
        await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
          for values from (${sql.lit(bounds[0])}) to (${sql.lit(bounds[1])})`.execute(transaction);
      });
      return;
    } catch (error) {
      // A long query holds a lock on the parent table; give way and retry.
      if (!isLockTimeout(error) || tries === 5) throw error;
    }
  }
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

async function partitionNames(db: Kysely<Schema>): Promise<Set<string>> {
  const result = await sql<{ name: string }>`
    select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid
    join pg_class parent on parent.oid = inhparent
    where parent.relname = any(${[...partitionedTables]}) and parent.relkind = 'p'`.execute(db);
  return new Set(result.rows.map((row) => row.name));
}

function startOfDay(now: Date, offsetDays: number): Date {
  const day = new Date(now.getTime() + offsetDays * dayMilliseconds);
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()));
}
