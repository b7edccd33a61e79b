import { type Kysely, sql } from 'kysely';
import { wasSeenLately } from '../attempts/endpoint-state-table.ts';
import type { Schema } from '../connection/schema.ts';

/** 60 s: longer than an engine's restart and than a breaker's first trip. */
export const unservedBefore = sql`(now() - interval '60 seconds')`;
/** Older notes do not count: while no relay runs, nobody knows, and tasks are admitted as usual. */
export const notedAfter = sql`(now() - interval '60 seconds')`;

/** Whether a row of `unserved_pools` is of a pool that has had no endpoint which accepts jobs for 60 s. */
export const isUnserved = sql<boolean>`since <= ${unservedBefore} and noted_at >= ${notedAfter}`;

/** The pools, as a subselect, that have had no endpoint which accepts jobs for 60 s. */
export const unservedPools = sql`(select pool from unserved_pools where ${isUnserved})`;

export function unservedPoolTable(db: Kysely<Schema>) {
  return {
    /**
     * Notes which pools that tasks wait for have no endpoint that accepts jobs. An endpoint counts only if its owner has
     * probed it lately. A pool whose endpoints are all drained counts as unserved at once: an operator meant it. Returns the pools that have one again, each time until they are forgotten.
     */
    async note(): Promise<string[]> {
      const result = await sql<{ pool: string }>`
        with accepting as (
          select pool from endpoint_states where is_open and ${wasSeenLately}
        ), drained as (
          select pool from endpoint_states where ${wasSeenLately} group by pool having bool_and(drained_at is not null)
        ), wanted as (
          select pool from pool_waiting where waiting > 0
          union
          select pool from open_tasks where admitted_at is not null
          union
          select pool from unserved_pools
        ), noted as (
          insert into unserved_pools (pool, since, noted_at)
          select pool, case when pool in (select pool from drained) then ${unservedBefore} else now() end, now()
          from wanted where pool not in (select pool from accepting)
          on conflict (pool) do update set noted_at = excluded.noted_at,
            since = case when unserved_pools.noted_at = '-infinity' then excluded.since
              else least(unserved_pools.since, excluded.since) end
        )
        update unserved_pools set noted_at = '-infinity' where pool in (select pool from accepting)
        returning pool`.execute(db);
      return result.rows.map((row) => row.pool);
    },

    /** Lists the pools that tasks wait for and nobody serves, and how many wait. */
    async list(): Promise<{ pool: string; waiting: number }[]> {
      const result = await sql<{ pool: string; waiting: number }>`
        select pool, sum(waiting)::int as waiting from pool_waiting
        where waiting > 0 and pool in ${unservedPools} group by pool order by pool`.execute(db);
      return result.rows;
    },

    /** Forgets pools whose tasks have been admitted since they were served again. */
    async forgetServed(pools: readonly string[]): Promise<void> {
      await sql`delete from unserved_pools where pool = any(${pools}) and noted_at = '-infinity'`.execute(db);
    },
  };
}
