import { type Kysely, type RawBuilder, sql } from 'kysely';
import { compileOnce } from '../connection/compile-once.ts';
import { taskId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** A queued task among those of its project, and what its project has in the task's pool and mode. */
export interface QueuePlace {
  /** The place among the project's own queued tasks of the pool, from 1. */
  place: number;
  /** Share of the pool relative to other projects. */
  weight: number;
  /** How many tasks of the project may run at once, in all pools together; 0 while it is suspended. */
  cap: number;
  /** Tasks of the project that run, in all pools together. */
  inProgress: number;
  /** Queued tasks in the pool that were never tried, admitted or not. */
  waiting: number;
  /** Queued tasks in the pool that are being retried. */
  retries: number;
}

interface PlaceRow {
  id: string;
  place: number;
  weight: number;
  cap: number;
  in_progress: number;
  waiting: number;
  retries: number;
}

/** How deep in a project's queue places are counted: beyond it they mean little, and counting costs time. */
const deepestPlace = 1_000;

/** The queues of the pools. */
export function poolQueueTable(db: Kysely<Schema>) {
  return {
    /**
     * The places of queued tasks within project and pool, by one statement: retries, then admitted tasks, then the
     * rest. Places beyond the first thousand are left out.
     */
    async places(ids: readonly string[]): Promise<Map<string, QueuePlace>> {
      const uuids = ids.map((id) => toUuid('task', id));
      const [first] = uuids;
      if (first === undefined) return new Map();
      const isOne = uuids.length === 1;
      const result = await (isOne ? db.executeQuery(placeOf({ uuid: first })) : placesOf(uuids).execute(db));
      return new Map(
        result.rows.map(({ id, in_progress: inProgress, ...place }) => [taskId(id), { ...place, inProgress }]),
      );
    },
  };
}

const shareColumns = sql`weight, cap, admitted.in_progress::int as in_progress, admitted.retries::int as retries,
  (admitted.waiting + coalesce(limits.waiting_in_pool, 0))::int as waiting`;

const inQueueOf = (own: RawBuilder<unknown>) =>
  sql`project_id = ${own}.project_id and livemode = ${own}.livemode and pool = ${own}.pool`;

/**
 * Joins what the project of `own` has: limits, counters and admitted tasks. `more` counts some of the tasks. The limit
 * keeps Postgres from reading the slots and counters of all projects when it expects many places.
 */
const joinShareOf = (own: RawBuilder<unknown>, more = sql``) => sql`
  cross join lateral (
    select weight, cap, (select waiting from pool_waiting where ${inQueueOf(own)}) as waiting_in_pool
    from project_slots join projects on projects.id = project_id
    where project_id = ${own}.project_id and livemode = ${own}.livemode limit 1
  ) limits
  cross join lateral (
    select count(*) filter (where status = 'in_progress') as in_progress,
      count(*) filter (where pool = ${own}.pool and status = 'queued' and attempt = 1) as waiting,
      count(*) filter (where pool = ${own}.pool and status = 'queued' and attempt > 1) as retries ${more}
    from open_tasks
    where project_id = ${own}.project_id and livemode = ${own}.livemode and admitted_at is not null
  ) admitted`;

/**
 * Counts the tasks before one task. Waiting tasks are counted in two ranges of the index instead of one row comparison:
 * Postgres 15 ends the scan of an index for the first column of a row comparison only, so it would walk the whole queue
 * for a task at its head. The order asks for the index: without it, Postgres may read the table itself if it expects to
 * reach the limit soon.
 */
const placeOf = compileOnce((_, { uuid }: { uuid: string }) => {
  const task = sql`task`;
  const waiting = (range: RawBuilder<unknown>) => sql`
    (select from open_tasks
      where task.admitted_at is null and ${inQueueOf(task)} and admitted_at is null and ${range}
      order by priority, id limit ${sql.lit(deepestPlace + 1)})`;
  const admittedUpToTask = sql`, count(*) filter (where pool = task.pool and status = 'queued' and (
    task.admitted_at is null or (attempt = 1, priority, id) <= (task.attempt = 1, task.priority, task.id)
  )) as up_to_task`;
  return sql<PlaceRow>`
    select task.id, place.place, ${shareColumns} from open_tasks task
    ${joinShareOf(task, admittedUpToTask)}
    cross join lateral (
      select (admitted.up_to_task + count(*))::int as place from (
        ${waiting(sql`priority < task.priority`)}
        union all
        ${waiting(sql`priority = task.priority and id <= task.id`)}
      ) waiting
    ) place
    where task.id = ${uuid} and task.status = 'queued' and place.place <= ${sql.lit(deepestPlace)}`;
});

/** Ranks the tasks of each queue as far as the last of those that are wanted, so that each queue is read once. */
function placesOf(uuids: readonly string[]) {
  const wanted = sql`wanted`;
  const waiting = (range: RawBuilder<unknown>) => sql`
    (select id, priority, false as is_retry, false as is_admitted from open_tasks
      where ${inQueueOf(wanted)} and admitted_at is null and ${range}
      order by priority, id limit ${sql.lit(deepestPlace)})`;
  return sql<PlaceRow>`
    select place.id, place.place::int, ${shareColumns} from (
      select project_id, livemode, pool, max(priority) as last_priority,
        array_agg(id order by priority desc, id desc) as ids
      from open_tasks where id = any(${[...uuids]}::uuid[]) and status = 'queued' group by project_id, livemode, pool
    ) wanted
    ${joinShareOf(wanted)}
    cross join lateral (
      select id, row_number() over (order by is_retry desc, is_admitted desc, priority, id) as place from (
        (select id, priority, attempt > 1 as is_retry, true as is_admitted from open_tasks
          where ${inQueueOf(wanted)} and status = 'queued' and admitted_at is not null
          limit ${sql.lit(deepestPlace)})
        union all
        ${waiting(sql`priority < last_priority`)}
        union all
        ${waiting(sql`priority = last_priority and id <= wanted.ids[1]`)}
      ) queued
    ) place
    where place.id = any(wanted.ids) and place.place <= ${sql.lit(deepestPlace)}`;
}
