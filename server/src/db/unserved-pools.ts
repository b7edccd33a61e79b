import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** 60 s: longer than an engine's restart and than a breaker's first trip. */
const unservedMilliseconds = 60_000;
/** Older notes do not count: while no relay runs, nobody knows, and tasks are admitted as usual. */
const notedWithinMilliseconds = 60_000;

/** Returns since when a pool has had no endpoint which accepts jobs to count as unserved, and how old the note may be. */
export function unservedBounds(at: Date): { unservedBefore: Date; notedAfter: Date } {
  const before = (milliseconds: number) => new Date(at.getTime() - milliseconds);
  return { unservedBefore: before(unservedMilliseconds), notedAfter: before(notedWithinMilliseconds) };
}

/** The pools, as a subselect, that have had no endpoint which accepts jobs for 60 s. */
export function unservedPoolsAt(at: Date): RawBuilder<unknown> {
  const { unservedBefore, notedAfter } = unservedBounds(at);
  return sql`(select pool from unserved_pools where since <= ${unservedBefore} and noted_at >= ${notedAfter})`;
}

export function unservedPoolTable(db: Kysely<Schema>) {
  return {
    /**
     * Notes which pools that tasks wait for have no endpoint that accepts jobs. An endpoint counts only if its owner has
     * probed it since `seenSince`. Returns the pools that have one again.
     */
    async note(at: Date, seenSince: Date): Promise<string[]> {
      const result = await sql<{ pool: string }>`
        with accepting as (
          select pool from endpoint_states where is_open and seen_at >= ${seenSince}
        ), wanted as (
          select pool from pool_waiting where waiting > 0
          union
          select pool from open_tasks where admitted_at is not null
          union
          select pool from unserved_pools
        ), noted as (
          insert into unserved_pools (pool, since, noted_at)
          select pool, ${at}::timestamptz, ${at}::timestamptz from wanted where pool not in (select pool from accepting)
          on conflict (pool) do update set noted_at = excluded.noted_at
        )
        delete from unserved_pools where pool in (select pool from accepting) returning pool`.execute(db);
      return result.rows.map((row) => row.pool);
    },
  };
}
