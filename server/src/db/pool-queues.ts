import { type Kysely, sql } from 'kysely';
import { projectId, taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** A project's tasks in a pool, in one mode. */
export interface PoolShare {
  pool: string;
  projectId: string;
  livemode: boolean;
  weight: number;
  /** How many of its tasks may run at once, in all pools together; 0 while it is suspended. */
  cap: number;
  /** Queued tasks that were never tried, admitted or not. */
  waiting: number;
  /** Queued tasks that are being retried. */
  retries: number;
  inProgress: number;
  /** Slots of the pool's endpoints that accept jobs. */
  acceptingSlots: number;
}

/** How deep in a project's queue places are counted: beyond it they mean little, and counting costs time. */
const deepestPlace = 1_000;

/** The queues of the pools. */
export function poolQueueTable(db: Kysely<Schema>) {
  return {
    /**
     * Returns every project that has a task in a pool. It reads the admitted tasks and one counter for the rest, never
     * the backlog. An endpoint's slots count only if its owner has probed it since `seenSince`, because an owner that
     * dies leaves the endpoint marked as accepting.
     */
    async shares(seenSince: Date): Promise<PoolShare[]> {
      const result = await sql<{
        pool: string;
        project_id: string;
        livemode: boolean;
        weight: number;
        cap: number;
        waiting: number;
        retries: number;
        in_progress: number;
        open_slots: number;
      }>`
        select pool, project_id, livemode, weight, cap, share.waiting, retries, in_progress,
          coalesce(open_slots, 0)::int as open_slots
        from (
          select pool, project_id, livemode, sum(waiting)::int as waiting, sum(retries)::int as retries,
            sum(in_progress)::int as in_progress
          from (
            select pool, project_id, livemode,
              count(*) filter (where status = 'queued' and attempt = 1) as waiting,
              count(*) filter (where status = 'queued' and attempt > 1) as retries,
              count(*) filter (where status = 'in_progress') as in_progress
            from open_tasks where admitted_at is not null group by 1, 2, 3
            union all
            select pool, project_id, livemode, waiting, 0, 0 from pool_waiting where waiting > 0
          ) parts group by 1, 2, 3
        ) share
        join projects on projects.id = share.project_id
        join project_slots using (project_id, livemode)
        left join (select pool, sum(slots) as open_slots from endpoint_states
          where is_open and seen_at >= ${seenSince} group by pool) open using (pool)`.execute(db);
      return result.rows.map((row) => ({
        pool: row.pool,
        projectId: projectId(row.project_id),
        livemode: row.livemode,
        weight: row.weight,
        cap: row.cap,
        waiting: row.waiting,
        retries: row.retries,
        inProgress: row.in_progress,
        acceptingSlots: row.open_slots,
      }));
    },

    /**
     * Returns the places of tasks among the queued tasks of their project and pool, from 1: retries first, then
     * admitted tasks, then the rest in the order of admission. One statement reads them all; places beyond the first
     * thousand are left out.
     */
    async places(ids: readonly string[]): Promise<Map<string, number>> {
      if (ids.length === 0) return new Map();
      const isOfLast = sql`(open_tasks.project_id, open_tasks.livemode, open_tasks.pool) = (last.project_id, last.livemode, last.pool)`;
      const requested = sql`any(${ids.map((id) => toUuid('task', id))}::uuid[])`;
      const result = await sql<{ id: string; place: number }>`
        select place.id, place.place::int from (
          select distinct on (project_id, livemode, pool) project_id, livemode, pool, priority, id
          from open_tasks where id = ${requested} and status = 'queued'
          order by project_id, livemode, pool, priority desc, id desc
        ) last
        cross join lateral (
          select id, row_number() over (order by is_retry desc, is_admitted desc, priority, id) as place from (
            (select id, priority, attempt > 1 as is_retry, true as is_admitted from open_tasks
              where ${isOfLast} and status = 'queued' and admitted_at is not null
              limit ${deepestPlace})
            union all
            -- Two ranges instead of one row comparison: Postgres 15 ends the scan of an index for the first column of a
            -- row comparison only, so it would walk the whole queue for a task at its head.
            (select id, priority, false, false from open_tasks
              where ${isOfLast} and admitted_at is null and open_tasks.priority < last.priority
              order by priority, id limit ${deepestPlace})
            union all
            (select id, priority, false, false from open_tasks
              where ${isOfLast} and admitted_at is null and open_tasks.priority = last.priority and open_tasks.id <= last.id
              order by id limit ${deepestPlace})
          ) queued
        ) place
        where place.id = ${requested} and place.place <= ${deepestPlace}`.execute(db);
      return new Map(result.rows.map((row) => [taskId(row.id), row.place]));
    },
  };
}
