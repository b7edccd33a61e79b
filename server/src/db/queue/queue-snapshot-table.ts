import { type Kysely, sql } from 'kysely';
import type { Contenders } from '../../domain/queue-positions.ts';
import { wasSeenLately } from '../attempts/endpoint-state-table.ts';
import type { Schema } from '../connection/schema.ts';
import { unservedPools } from './unserved-pool-table.ts';

/** What all projects together wait for in a pool. */
export interface PoolQueue {
  pool: string;
  inProgress: number;
  /** Slots of the pool's endpoints that accept jobs. */
  acceptingSlots: number;
  /** Whether no endpoint of the pool has accepted jobs for a minute, or all are drained. */
  isUnserved: boolean;
  /** The projects that may run tasks and have some queued. */
  contenders: Contenders[];
}

/** A pool as it is stored. Contenders are arrays: there may be thousands. */
type StoredPool = Omit<PoolQueue, 'contenders'> & {
  contenders: [weight: number, waiting: number, retries: number, projects: number][];
};

/** Due after 2 s, or later if expensive: 10,000 counters take 5 ms, and making it may take a 400th of the time. */
const shortestSeconds = 2;
const longestSeconds = 8;
const rowsIn5Milliseconds = 10_000;

/**
 * The snapshot of all queues that the processes share. Its size depends on the number of different queues, not of
 * projects. Postgres's clock decides how old it is, because those of processes differ.
 */
export function queueSnapshotTable(db: Kysely<Schema>) {
  return {
    /** Returns the last snapshot, its age and whether the next one is due, or null if there is none. */
    async read(): Promise<{ ageSeconds: number; isNextDue: boolean; pools: PoolQueue[] } | null> {
      const result = await sql<{ age: number; is_next_due: boolean; pools: StoredPool[] }>`
        select extract(epoch from clock_timestamp() - made_at)::float8 as age,
          clock_timestamp() >= next_at as is_next_due, pools
        from queue_snapshot`.execute(db);
      const row = result.rows[0];
      return row ? { ageSeconds: row.age, isNextDue: row.is_next_due, pools: row.pools.map(toPoolQueue) } : null;
    },

    /** Whether the caller is to make the due snapshot. No other does for 2 s: by then it is made, or its maker died. */
    async claim(): Promise<boolean> {
      const result = await sql`
        insert into queue_snapshot (claimed_at, made_at, next_at, pools)
        values (clock_timestamp(), 'epoch', 'epoch', '[]')
        on conflict (is_only) do update set claimed_at = excluded.claimed_at
        where queue_snapshot.claimed_at <= excluded.claimed_at - make_interval(secs => ${sql.lit(shortestSeconds)})
          and queue_snapshot.next_at <= excluded.claimed_at
        returning is_only`.execute(db);
      return result.rows.length > 0;
    },

    /**
     * Computes, stores and returns a snapshot from the counters and admitted tasks, never the backlog. Endpoints count
     * only if probed lately: an owner that dies leaves them marked as accepting.
     */
    async make(): Promise<PoolQueue[]> {
      // Nearly all projects have the weight 1 and a cap above 0. Indexes have the others, so joining them is fast.
      const result = await sql<{ pools: StoredPool[] }>`
        with contenders as (
          select pool, coalesce(weight, 1::real) as weight, waiting, retries, count(*) as projects,
            sum(parts) as parts
          from (
            select project_id, livemode, pool, sum(waiting)::int as waiting, sum(retries)::int as retries,
              count(*) as parts
            from (
              select project_id, livemode, pool, waiting, 0 as retries from pool_waiting where waiting > 0
              union all
              select project_id, livemode, pool, (attempt = 1)::int, (attempt > 1)::int from open_tasks
              where admitted_at is not null and status = 'queued'
            ) parts group by 1, 2, 3
          ) share
          left join (select id, weight from projects where weight <> 1) weighted on id = project_id
          where not exists (
            select from project_slots stopped
            where cap = 0 and stopped.project_id = share.project_id and stopped.livemode = share.livemode
          )
          group by 1, 2, 3, 4
        ), contending as (
          select pool, json_agg(json_build_array(weight, waiting, retries, projects)) as contenders,
            sum(parts) as rows_read
          from contenders
          group by pool
        ), running as (
          select pool, count(*) as in_progress from open_tasks where admitted_at is not null and status = 'in_progress'
          group by pool
        ), accepting as (
          select pool, sum(slots) as slots from endpoint_states where is_open and ${wasSeenLately} group by pool
        )
        insert into queue_snapshot (claimed_at, made_at, next_at, pools)
        select clock_timestamp(), statement_timestamp(),
          statement_timestamp() + make_interval(secs => ${secondsUntilNext}::float8),
          coalesce(json_agg(json_build_object('pool', pool, 'inProgress', coalesce(in_progress, 0),
            'acceptingSlots', coalesce(slots, 0),
            'isUnserved', pool in ${unservedPools}, 'contenders', contenders)), '[]')
        from contending left join running using (pool) left join accepting using (pool)
        on conflict (is_only) do update
        set made_at = excluded.made_at, next_at = excluded.next_at, pools = excluded.pools
        returning pools`.execute(db);
      return result.rows.flatMap((row) => row.pools.map(toPoolQueue));
    },
  };
}

const secondsUntilNext = sql`least(${sql.lit(longestSeconds)}, greatest(${sql.lit(shortestSeconds)},
  ${sql.lit(shortestSeconds / rowsIn5Milliseconds)} * coalesce(sum(rows_read), 0)))`;

function toPoolQueue({ contenders, ...pool }: StoredPool): PoolQueue {
  return {
    ...pool,
    contenders: contenders.map(([weight, waiting, retries, projects]) => ({ weight, waiting, retries, projects })),
  };
}
