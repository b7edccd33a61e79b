import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../domain/id.ts';
import { activeStatuses } from '../domain/task.ts';
import { projectId, taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** What a task's row says about its objects. A deleted task names none. */
export interface NamedObjects {
  keys: readonly string[];
  isActive: boolean;
  isDeleted: boolean;
}

/** Queries of the reconciler, the sweep and operators: tasks that wait too long or are silent, and actual counts. */
export function taskUpkeep(db: Kysely<Schema>) {
  return {
    /** Returns the ids of tasks that were accepted before a moment and that no engine ever took. */
    async neverBegunBefore(moment: Date, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('tasks')
        .select('id')
        .where('id', '<', lowestUuidAt(moment))
        .where('status', '=', 'queued')
        .where('started_at', 'is', null)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => taskId(row.id));
    },

    /**
     * Returns admitted tasks that no process seems to work on: neither checked nor progressing since the moment, and
     * without an outbox message. The task whose check is oldest comes first.
     */
    async silentSince(moment: Date, limit: number) {
      const rows = await db
        .selectFrom('tasks')
        .innerJoin('projects', 'projects.id', 'tasks.project_id')
        .leftJoin('live_entries', 'live_entries.task_id', 'tasks.id')
        .select(['tasks.id', 'tasks.status', 'tasks.pool', 'tasks.project_id', 'tasks.restarts', 'projects.weight'])
        .where('tasks.status', 'in', activeStatuses)
        .where('tasks.admitted_at', 'is not', null)
        .where('tasks.checked_at', '<', moment)
        .where((row) =>
          row.or([row('live_entries.updated_at', 'is', null), row('live_entries.updated_at', '<', moment)]),
        )
        .where((row) =>
          row.not(row.exists(row.selectFrom('outbox').select('outbox.id').whereRef('outbox.task_id', '=', 'tasks.id'))),
        )
        .orderBy('tasks.checked_at')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        taskId: taskId(row.id),
        projectId: projectId(row.project_id),
        pool: row.pool,
        weight: row.weight,
        status: row.status,
        restarts: row.restarts,
      }));
    },

    async markChecked(ids: readonly string[], at: Date): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('tasks')
        .set({ checked_at: at })
        .where(
          'id',
          'in',
          ids.map((id) => toUuid('task', id)),
        )
        .execute();
    },

    /**
     * Counts one more restart of a task's workflow, if the task is still active and no other relay counted it first.
     */
    async countRestart(id: string, restarts: number, at: Date): Promise<boolean> {
      const row = await db
        .updateTable('tasks')
        .set({ restarts: restarts + 1, checked_at: at })
        .where('id', '=', toUuid('task', id))
        .where('restarts', '=', restarts)
        .where('status', 'in', activeStatuses)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns how many tasks of each project actually run and wait, counted from the rows themselves. */
    async countActive() {
      // Each half has a partial index of its own, so ended tasks are never read.
      const result = await sql<{ project_id: string; livemode: boolean; running: number; waiting: number }>`
        select project_id, livemode, sum(running)::int as running, sum(waiting)::int as waiting from (
          select project_id, livemode, 1 as running, 0 as waiting from tasks
          where status in ('queued', 'in_progress') and admitted_at is not null
          union all
          select project_id, livemode, 0 as running, 1 as waiting from tasks
          where status = 'queued' and admitted_at is null
        ) active group by project_id, livemode`.execute(db);
      return result.rows.map((row) => ({
        projectId: projectId(row.project_id),
        livemode: row.livemode,
        running: row.running,
        waiting: row.waiting,
      }));
    },

    /**
     * Returns at most `limit` active tasks of a project. A suspension that cancels its tasks reads them page by page.
     */
    async activeOf(project: string, limit: number): Promise<string[]> {
      const uuid = toUuid('proj', project);
      const result = await sql<{ id: string }>`
        (select id from tasks where project_id = ${uuid} and status = 'queued' and admitted_at is null limit ${limit})
        union all
        (select id from tasks where project_id = ${uuid} and status in ('queued', 'in_progress') and admitted_at is not null
          limit ${limit})
        limit ${limit}`.execute(db);
      return result.rows.map((row) => taskId(row.id));
    },

    /**
     * Returns what the rows of tasks say about their objects. A task without a row is missing from the result: that
     * says nothing about its objects, because the database may be another one or an older copy.
     */
    async namedObjects(ids: readonly string[]): Promise<ReadonlyMap<string, NamedObjects>> {
      const uuids = ids.map((id) => toUuid('task', id));
      const rows = await db
        .selectFrom('tasks')
        .select(['id', 'status', 'image', 'video', 'deleted_at'])
        .where('id', '=', sql<string>`any(${uuids}::uuid[])`)
        .execute();
      return new Map(
        rows.map(({ id, status, image, video, deleted_at }) => {
          const isDeleted = deleted_at !== null;
          const keys = [image?.objectKey, video?.objectKey, video?.thumbnailKey, video?.spritesheetKey];
          const isActive = !isDeleted && (status === 'queued' || status === 'in_progress');
          return [taskId(id), { keys: isDeleted ? [] : keys.filter((key) => key !== undefined), isActive, isDeleted }];
        }),
      );
    },

    /** Returns the id of the newest task, or null if there is none. */
    async newest(): Promise<string | null> {
      const row = await db.selectFrom('tasks').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row ? taskId(row.id) : null;
    },
  };
}
