import { type Kysely, sql } from 'kysely';
import { timeOfUuid } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { projectId, taskId } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** A slot of an endpoint and what it does. */
export interface BoardSlot {
  endpointId: string;
  slot: number;
  /** The task that has leased the slot; null if the slot is idle. */
  taskId: string | null;
  /** Both are null if the slot is idle, or if its task has ended. */
  projectId: string | null;
  livemode: boolean | null;
  /** Whether the lease's task is in progress in that attempt. Otherwise the lease drains. */
  isHeld: boolean;
  /** Since when the slot is leased or idle; null if it was never used. */
  since: Date | null;
  /** In percent; null if nothing was reported in this attempt. */
  progress: number | null;
}

/** What waits for a pool. */
export interface PoolBacklog {
  pool: string;
  waiting: number;
  oldestWaitingAt: Date | null;
}

/** What a project runs and waits for, in one mode. */
export interface ProjectBacklog extends ProjectMode {
  name: string;
  running: number;
  waiting: number;
  oldestWaitingAt: Date | null;
  weight: number;
}

/** The first task of the queue of a row of pool_waiting. All tasks have one priority, so it is the oldest. */
const headOfQueue = sql`(
  select id from open_tasks
  where open_tasks.project_id = pool_waiting.project_id and open_tasks.livemode = pool_waiting.livemode
    and open_tasks.pool = pool_waiting.pool and admitted_at is null
  order by priority, id limit 1
)`;

/** Reads what operators look at. No statement reads more of a backlog than its counters and the heads of its queues. */
export function engineBoardTable(db: Kysely<Schema>) {
  return {
    /** Returns the slots of all endpoints. */
    async slots(): Promise<BoardSlot[]> {
      // The limits keep Postgres from reading all open tasks when it does not know how few slots there are.
      const { rows } = await sql<{
        endpoint_id: string;
        slot: number;
        task_id: string | null;
        leased_at: Date | null;
        freed_at: Date | null;
        project_id: string | null;
        livemode: boolean | null;
        is_held: boolean | null;
        progress: number | null;
      }>`
        select endpoint_id, slot, leases.task_id, leased_at, freed_at, project_id, livemode, progress,
          task.status = 'in_progress' and task.attempt = leases.attempt as is_held
        from leases
        left join lateral (
          select project_id, livemode, status, attempt from open_tasks where id = leases.task_id limit 1
        ) task on true
        left join lateral (
          select progress from live_entries where task_id = leases.task_id and attempt = leases.attempt limit 1
        ) live on true
        order by endpoint_id, slot`.execute(db);
      return rows.map((row) => ({
        endpointId: row.endpoint_id,
        slot: row.slot,
        taskId: row.task_id && taskId(row.task_id),
        projectId: row.project_id && projectId(row.project_id),
        livemode: row.livemode,
        isHeld: row.is_held === true,
        since: row.task_id === null ? row.freed_at : row.leased_at,
        progress: row.progress,
      }));
    },

    /** Returns how many tasks wait for each pool, admitted or not, and since when the oldest does. */
    async poolBacklogs(): Promise<PoolBacklog[]> {
      const result = await sql<{ pool: string; waiting: number; oldest: string | null }>`
        select pool, sum(waiting)::int as waiting, (array_agg(oldest order by oldest))[1] as oldest from (
          select pool, waiting, ${headOfQueue} as oldest from pool_waiting where waiting > 0
          union all
          select pool, 1, id from open_tasks where admitted_at is not null and status = 'queued'
        ) parts group by pool`.execute(db);
      return result.rows.map(({ pool, waiting, oldest }) => ({ pool, waiting, oldestWaitingAt: timeOf(oldest) }));
    },

    /** Returns the projects that run tasks or wait for some, those with the most waiting tasks first. */
    async projectBacklogs(limit: number): Promise<ProjectBacklog[]> {
      const result = await sql<{
        project_id: string;
        livemode: boolean;
        name: string;
        running: number;
        waiting: number;
        weight: number;
        oldest: string | null;
      }>`
        select busy.project_id, busy.livemode, name, running, waiting, weight, oldest from (
          select project_id, livemode, running, waiting from project_slots where running > 0 or waiting > 0
          order by waiting desc, running desc, project_id, livemode desc limit ${limit}
        ) busy
        join projects on projects.id = busy.project_id
        left join lateral (
          select ${headOfQueue} as oldest from pool_waiting
          where pool_waiting.project_id = busy.project_id and pool_waiting.livemode = busy.livemode
            and pool_waiting.waiting > 0
          order by oldest limit 1
        ) heads on true
        order by waiting desc, running desc, busy.project_id, busy.livemode desc`.execute(db);
      return result.rows.map(({ project_id, oldest, ...row }) => ({
        ...row,
        projectId: projectId(project_id),
        oldestWaitingAt: timeOf(oldest),
      }));
    },
  };
}

function timeOf(uuid: string | null): Date | null {
  return uuid === null ? null : timeOfUuid(uuid);
}
