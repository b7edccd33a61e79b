import { type Kysely, sql } from 'kysely';
import type { StorageUse } from '../../domain/caller.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { projectId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { toStorageUse } from '../tasks/stored-bytes-table.ts';
import { createTolerance, totalWaitingLimit } from './acceptance-table.ts';
import { unservedPools } from './unserved-pool-table.ts';

/** Whether a create would be admitted now, by the same rule as in `acceptances.accept`. */
export interface CreateQuotaState {
  isSuspended: boolean;
  /** How many tasks wait for the pool. */
  waiting: number;
  waitingLimit: number;
  /** The same for all pools together. */
  totalWaiting: number;
  totalWaitingLimit: number;
  createsPerMinute: number;
  storage: StorageUse;
  /** 0 if a create may come now. */
  retryAfterSeconds: number;
}

/** How much room a project has for running tasks, read from its locked row. */
export interface Room {
  /** How many more tasks may run. */
  tasks: number;
  /** How many tasks wait for admission. */
  waiting: number;
}

/** Projects from `first` to `last` in the order of their ids, both included. */
export interface ProjectRange {
  first: string;
  last: string;
}

/** How many projects are counted together. Their limits bound how many tasks that are. */
const projectsAtOnce = 500;

interface RoomRow {
  cap: number;
  running: number;
  waiting: number;
}

const whereMode = (mode: ProjectMode) =>
  sql`project_id = ${toUuid('proj', mode.projectId)} and livemode = ${mode.livemode}`;

export function projectSlotTable(db: Kysely<Schema>) {
  const modeColumns = (mode: ProjectMode) => ({
    project_id: toUuid('proj', mode.projectId),
    livemode: mode.livemode,
  });

  return {
    /** Reads the limits of creates for a pool without using anything up. */
    async createQuotaState(mode: ProjectMode, pool: string | null): Promise<CreateQuotaState | null> {
      const result = await sql<{
        suspended: boolean;
        waiting: number;
        waiting_limit: number;
        total_waiting: number;
        total_waiting_limit: string;
        creates_per_minute: number;
        storage_limit_bytes: string;
        stored_bytes: string;
        files_limit: number;
        uploaded_files: number;
        retry_after: number;
      }>`
        select projects.suspended_at is not null as suspended, coalesce(queue.waiting, 0) as waiting, waiting_limit,
               project_slots.waiting as total_waiting, ${totalWaitingLimit} as total_waiting_limit, creates_per_minute,
               storage_limit_bytes, stored_bytes, files_limit, uploaded_files,
               extract(epoch from greatest(create_allowed_at, clock_timestamp())
                 - ${createTolerance} - clock_timestamp())::float8 as retry_after
        from project_slots join projects on projects.id = project_slots.project_id
        left join pool_waiting queue on queue.project_id = project_slots.project_id
          and queue.livemode = project_slots.livemode and queue.pool = ${pool}
        where project_slots.project_id = ${toUuid('proj', mode.projectId)} and project_slots.livemode = ${mode.livemode}`.execute(
        db,
      );
      const row = result.rows[0];
      if (!row) return null;
      return {
        isSuspended: row.suspended,
        waiting: row.waiting,
        waitingLimit: row.waiting_limit,
        totalWaiting: row.total_waiting,
        totalWaitingLimit: Number(row.total_waiting_limit),
        createsPerMinute: row.creates_per_minute,
        storage: toStorageUse(row),
        retryAfterSeconds: Math.max(0, row.retry_after),
      };
    },

    /** Returns how many tasks of a project wait for the pool with the most. */
    async mostWaiting(mode: ProjectMode): Promise<number> {
      const row = await db
        .selectFrom('pool_waiting')
        .select((select) => select.fn.max<number | null>('waiting').as('waiting'))
        .where((row) => row.and(modeColumns(mode)))
        .executeTakeFirstOrThrow();
      return row.waiting ?? 0;
    },

    /** Returns how many tasks of all projects wait. It is cheap, because there are two rows per project. */
    async countWaiting(): Promise<number> {
      const row = await db
        .selectFrom('project_slots')
        .select((select) => select.fn.sum<string | null>('waiting').as('waiting'))
        .executeTakeFirstOrThrow();
      return Number(row.waiting ?? 0);
    },

    /** Moves tasks from running back to waiting. `pools` has one entry per task. */
    async countGivenBack(mode: ProjectMode, pools: readonly string[]): Promise<void> {
      if (pools.length === 0) return;
      await sql`
        with counted as (
          update project_slots set running = running - ${pools.length}::int, waiting = waiting + ${pools.length}::int
          where ${whereMode(mode)} returning project_id, livemode
        )
        insert into pool_waiting (project_id, livemode, pool, waiting)
        select project_id, livemode, pool, count(*) from counted, unnest(${[...pools]}::text[]) as given_back (pool)
        group by project_id, livemode, pool
        on conflict (project_id, livemode, pool) do update set waiting = pool_waiting.waiting + excluded.waiting`.execute(
        db,
      );
    },

    /** Returns the projects that have room for a task and have tasks waiting for a pool that is served. */
    async withRoom(): Promise<ProjectMode[]> {
      const result = await sql<{ project_id: string; livemode: boolean }>`
        select project_id, livemode from project_slots
        where running < cap and waiting > 0 and exists (
          select 1 from pool_waiting
          where pool_waiting.project_id = project_slots.project_id and pool_waiting.livemode = project_slots.livemode
            and pool_waiting.waiting > 0 and pool not in ${unservedPools}
        )`.execute(db);
      return result.rows.map((row) => ({ projectId: projectId(row.project_id), livemode: row.livemode }));
    },

    /** Gives back what an ended task held, counts its files, locks the row and returns the project's room. */
    async giveBack(
      mode: ProjectMode,
      { wasAdmitted, pool, addedBytes }: { wasAdmitted: boolean; pool: string; addedBytes: number },
    ): Promise<Room> {
      const room = sql`cap, running, waiting`;
      const result = wasAdmitted
        ? await sql<RoomRow>`
            update project_slots set running = running - 1, stored_bytes = stored_bytes + ${addedBytes}::bigint
            where ${whereMode(mode)} returning ${room}`.execute(db)
        : await sql<RoomRow>`
            with counted as (
              update project_slots set waiting = waiting - 1
              where ${whereMode(mode)} returning project_id, livemode, ${room}
            ), counted_by_pool as (
              update pool_waiting set waiting = greatest(0, pool_waiting.waiting - 1) from counted
              where pool_waiting.project_id = counted.project_id and pool_waiting.livemode = counted.livemode
                and pool_waiting.pool = ${pool}
            )
            select ${room} from counted`.execute(db);
      const row = result.rows[0];
      if (!row) throw new Error('a project has no slots');
      return toRoom(row);
    },

    async list(): Promise<(ProjectMode & Counts & { storedBytes: number; files: number })[]> {
      const rows = await db
        .selectFrom('project_slots')
        .select(['project_id', 'livemode', 'running', 'waiting', 'stored_bytes', 'uploaded_files'])
        .execute();
      return rows.map(({ project_id, stored_bytes, uploaded_files: files, ...row }) => ({
        projectId: projectId(project_id),
        ...row,
        storedBytes: Number(stored_bytes),
        files,
      }));
    },

    /** Returns the next 500 projects in the order of their ids; null if there are none. */
    async nextToCount(after: string | null): Promise<(ProjectRange & { isEnd: boolean }) | null> {
      let query = db.selectFrom('projects').select('id');
      if (after !== null) query = query.where('id', '>', toUuid('proj', after));
      const ids = (await query.orderBy('id').limit(projectsAtOnce).execute()).map(({ id }) => projectId(id));
      const [first, last] = [ids[0], ids.at(-1)];
      return first === undefined || last === undefined ? null : { first, last, isEnd: ids.length < projectsAtOnce };
    },

    /** Projects whose counters disagree with their rows; one snapshot has both, so this is exact without a lock. */
    async miscounted({ first, last }: ProjectRange): Promise<(ProjectMode & { before: Counts; after: Counts })[]> {
      const inRange = sql`project_id between ${toUuid('proj', first)} and ${toUuid('proj', last)}`;
      // Each half has a partial index of its own, and reads nothing else.
      const result = await sql<{
        project_id: string;
        livemode: boolean;
        running: number;
        waiting: number;
        actual_running: number;
        actual_waiting: number;
      }>`
        select project_id, livemode, running, waiting, actual_running::int, actual_waiting::int from (
          select project_id, livemode, running, waiting, coalesce(admitted, 0) as actual_running,
            coalesce(unadmitted, 0) as actual_waiting, coalesce(in_pools, 0) as in_pools
          from project_slots
          left join (select project_id, livemode, count(*) as admitted from open_tasks
            where admitted_at is not null and ${inRange} group by 1, 2) ran using (project_id, livemode)
          left join (select project_id, livemode, count(*) as unadmitted from open_tasks
            where admitted_at is null and ${inRange} group by 1, 2) waited using (project_id, livemode)
          left join (select project_id, livemode, sum(waiting) as in_pools from pool_waiting
            where ${inRange} group by 1, 2) pools using (project_id, livemode)
          where ${inRange}
        ) counted
        where running <> actual_running or waiting <> actual_waiting or in_pools <> actual_waiting`.execute(db);
      return result.rows.map((row) => ({
        projectId: projectId(row.project_id),
        livemode: row.livemode,
        before: { running: row.running, waiting: row.waiting },
        after: { running: row.actual_running, waiting: row.actual_waiting },
      }));
    },

    /** Sets all counters to what the rows of open tasks say, under the row's lock. Returns them before and after. */
    async recount(mode: ProjectMode): Promise<{ before: Counts; after: Counts }> {
      const locked = await db
        .selectFrom('project_slots')
        .select(['running', 'waiting'])
        .where((row) => row.and(modeColumns(mode)))
        .forUpdate()
        .executeTakeFirstOrThrow();
      // Each half has a partial index of its own, to be fast: the row is locked during this statement.
      const result = await sql<Counts>`
        with actual as (
          select pool, count(*)::int as waiting from open_tasks
          where ${whereMode(mode)} and admitted_at is null group by pool
        ), corrected as (
          insert into pool_waiting (project_id, livemode, pool, waiting)
          select ${toUuid('proj', mode.projectId)}::uuid, ${mode.livemode}::boolean, pool, waiting from actual
          on conflict (project_id, livemode, pool) do update set waiting = excluded.waiting
          where pool_waiting.waiting <> excluded.waiting
        ), emptied as (
          update pool_waiting set waiting = 0
          where ${whereMode(mode)} and waiting > 0 and pool not in (select pool from actual)
        )
        select
          (select count(*) from open_tasks where ${whereMode(mode)} and admitted_at is not null)::int as running,
          (select coalesce(sum(waiting), 0) from actual)::int as waiting`.execute(db);
      const after = result.rows[0] ?? { running: 0, waiting: 0 };
      if (after.running !== locked.running || after.waiting !== locked.waiting) {
        await db
          .updateTable('project_slots')
          .set(after)
          .where((row) => row.and(modeColumns(mode)))
          .execute();
      }
      return { before: locked, after };
    },
  };
}

interface Counts {
  running: number;
  waiting: number;
}

function toRoom({ cap, running, waiting }: RoomRow): Room {
  return { tasks: Math.max(0, cap - running), waiting };
}
