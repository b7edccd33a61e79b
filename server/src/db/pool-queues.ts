import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../domain/id.ts';
import { projectId, taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** What one project has in a pool, in one mode. */
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
  /** Of the pool's endpoints that would be given a job. */
  openSlots: number;
}

/** How far back in a project's queue places are counted: beyond it they mean little, and counting costs. */
const deepestPlace = 1_000;

/** When the tasks were made that can still be queued or in progress. It leaves out all days but two or three. */
export interface ActiveTime {
  from: Date;
  until: Date;
}

/** Who waits for a pool, and where. */
export function poolQueueTable(db: Kysely<Schema>) {
  const isWithin = ({ from, until }: ActiveTime) =>
    sql`tasks.id >= ${lowestUuidAt(from)}::uuid and tasks.id < ${lowestUuidAt(until)}::uuid`;
  return {
    /**
     * Every project that has something in a pool. It reads what was admitted and one counter for the rest, never the backlog.
     * Slots count where the endpoint's owner has looked since then: a dead one leaves it open.
     */
    async shares(time: ActiveTime, seenSince: Date): Promise<PoolShare[]> {
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
            from tasks
            where ${isWithin(time)} and status in ('queued', 'in_progress') and admitted_at is not null group by 1, 2, 3
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
        openSlots: row.open_slots,
      }));
    },

    /**
     * The places of tasks among the queued ones of their project and pool, from 1: those that are tried again first, then what
     * was admitted, then the rest in the order of admission. One statement for all; what stands deeper than the project's
     * first thousand waiting tasks is left out.
     */
    async places(ids: readonly string[], time: ActiveTime): Promise<Map<string, number>> {
      if (ids.length === 0) return new Map();
      const asked = sql`any(${ids.map((id) => toUuid('task', id))}::uuid[])`;
      const result = await sql<{ id: string; place: number }>`
        select place.id, place.place::int from (
          select distinct on (project_id, livemode, pool) project_id, livemode, pool, priority, id
          from tasks where id = ${asked} and status = 'queued'
          order by project_id, livemode, pool, priority desc, id desc
        ) last
        cross join lateral (
          select id, row_number() over (order by is_retry desc, is_admitted desc, priority, id) as place from (
            (select id, priority, attempt > 1 as is_retry, true as is_admitted from tasks
              where ${isWithin(time)} and tasks.pool = last.pool and tasks.project_id = last.project_id and tasks.livemode = last.livemode
                and status in ('queued', 'in_progress') and status = 'queued' and admitted_at is not null
              limit ${deepestPlace})
            union all
            select id, priority, false, false from (
              select id, priority, pool from tasks
              where ${isWithin(time)} and tasks.project_id = last.project_id and tasks.livemode = last.livemode
                and status = 'queued' and admitted_at is null and (tasks.priority, tasks.id) <= (last.priority, last.id)
              order by priority, id limit ${deepestPlace}
            ) unadmitted where unadmitted.pool = last.pool
          ) queued
        ) place
        where place.id = ${asked} and place.place <= ${deepestPlace}`.execute(db);
      return new Map(result.rows.map((row) => [taskId(row.id), row.place]));
    },
  };
}
