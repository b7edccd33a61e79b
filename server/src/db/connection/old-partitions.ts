import { type Kysely, sql } from 'kysely';
import {
  boundsOfDay,
  isLockTimeout,
  type PartitionedTable,
  partitionedTables,
  withPartitionLock,
} from './partitions.ts';
import type { Schema } from './schema.ts';

/** One day of one table. */
export interface Partition {
  table: PartitionedTable;
  name: string;
  /** `2026-11-15`. */
  day: string;
  /** Whether an earlier run began to drop it: nothing in it is needed, and queries may no longer see it. */
  isHalfDropped: boolean;
}

export interface DayNeeds {
  hasOpenTasks: boolean;
  hasFiles: boolean;
}

export interface OldPartitions {
  /** Returns every day of every table, oldest first, including those that an earlier run left half dropped. */
  list(): Promise<Partition[]>;
  /** Returns whether a day still has tasks that have not ended, and tasks whose files still exist. */
  needsOf(day: string): Promise<DayNeeds>;
  /** Drops a partition without making a query of its table wait. Returns false if another process dropped it first. */
  drop(partition: Partition): Promise<boolean>;
}

/** Set before a partition is detached: one without it, which an operator detached by hand, is never dropped. */
const mark = 'kinora: being dropped';
const maximumTries = 5;

interface FoundPartition {
  name: string;
  parent: string | null;
  is_pending: boolean;
  is_marked: boolean;
}

/** Lists and drops old partitions. Detaching concurrently takes no lock that a reader or writer would wait for. */
export function oldPartitions(db: Kysely<Schema>): OldPartitions {
  return {
    async list() {
      const found = await find(db, null);
      return found.flatMap(({ name, is_marked, parent, is_pending }) => {
        const [, table, day] = /^(.+)_(\d{4}_\d{2}_\d{2})$/.exec(name) ?? [];
        const known = partitionedTables.find((candidate) => candidate === table);
        const isOurs = is_marked || (parent !== null && !is_pending);
        if (!known || day === undefined || !isOurs) return [];
        return [{ table: known, name, day: day.replaceAll('_', '-'), isHalfDropped: is_marked }];
      });
    },

    async needsOf(day) {
      const name = `tasks_${day.replaceAll('-', '_')}`;
      const [partition] = await find(db, name);
      if (!partition || partition.is_marked) return { hasOpenTasks: false, hasFiles: false };
      const tasks = sql.table(name);
      const [from, to] = boundsOfDay(new Date(`${day}T00:00:00Z`));
      // Each part has an index, so a day with millions of tasks is not read.
      const result = await sql<DayNeeds>`select
        exists (select 1 from open_tasks where id >= ${from} and id < ${to}) as "hasOpenTasks",
        exists (select 1 from ${tasks} where expires_at is not null and not are_files_gone) as "hasFiles"`.execute(db);
      return result.rows[0] ?? { hasOpenTasks: true, hasFiles: true };
    },

    drop: ({ table, name }) =>
      withPartitionLock(db, async (connection) => {
        // For the session, since detaching concurrently cannot be part of a transaction.
        await sql`set lock_timeout = '2s'`.execute(connection);
        try {
          for (let tries = 1; ; tries += 1) {
            try {
              return await dropNow(connection, table, name);
            } catch (error) {
              // A long query holds a lock. The next try reads how far this one came.
              if (!isLockTimeout(error) || tries === maximumTries) throw error;
            }
          }
        } finally {
          await sql`reset lock_timeout`.execute(connection);
        }
      }),
  };
}

async function dropNow(db: Kysely<Schema>, table: PartitionedTable, name: string): Promise<boolean> {
  const [found] = await find(db, name);
  if (!found) return false;
  if (found.parent !== null) {
    if (!found.is_marked) await sql`comment on table ${sql.table(name)} is ${sql.lit(mark)}`.execute(db);
    const how = found.is_pending ? sql`finalize` : sql`concurrently`;
    await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)} ${how}`.execute(db);
  }
  await sql`drop table ${sql.table(name)}`.execute(db);
  return true;
}

/** Reads from the catalogue attached, half detached, and detached but not yet dropped partitions (without a parent). */
async function find(db: Kysely<Schema>, name: string | null): Promise<FoundPartition[]> {
  const result = await sql<FoundPartition>`
    select child.relname as name, parent.relname as parent, coalesce(inhdetachpending, false) as is_pending,
      coalesce(obj_description(child.oid, 'pg_class') = ${mark}, false) as is_marked
    from pg_class child
    left join pg_inherits on inhrelid = child.oid
    left join pg_class parent on parent.oid = inhparent
    where child.relkind = 'r' and child.relnamespace = current_schema()::regnamespace
      and child.relname ~ '_[0-9]{4}_[0-9]{2}_[0-9]{2}$' and (${name}::text is null or child.relname = ${name})
    order by right(child.relname, 10), child.relname`.execute(db);
  return result.rows;
}
