import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { anyOf, projectId, taskId, toUuid } from '../connection/ids.ts';
import type { OpenTaskReason, Schema } from '../connection/schema.ts';
import { unservedPools } from './unserved-pool-table.ts';

/** Tasks that have not ended. The rows follow from those of `tasks`: a trigger writes and deletes them. */
export function openTaskTable(db: Kysely<Schema>) {
  return {
    /** Returns admitted tasks that have not begun and whose pool nobody serves. */
    async stranded(limit: number): Promise<(ProjectMode & { taskId: string })[]> {
      const result = await sql<{ id: string; project_id: string; livemode: boolean }>`
        select id, project_id, livemode from open_tasks
        where admitted_at is not null and status = 'queued' and pool in ${unservedPools}
        order by id limit ${limit}`.execute(db);
      return result.rows.map((row) => ({
        taskId: taskId(row.id),
        projectId: projectId(row.project_id),
        livemode: row.livemode,
      }));
    },

    /**
     * Returns, by id, admitted tasks that no living worker has begun, with the worker that has: one without a sign of
     * life for `silentSeconds`.
     */
    async withoutWorker(
      silentSeconds: number,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<{ taskId: string; workerId: string | null }[]> {
      const last = after && toUuid('task', after);
      // Without this list of its own, Postgres may look for a few admitted tasks among all that wait.
      const result = await sql<{ id: string; worker_id: string | null }>`
        with admitted as materialized (
          select id, attempt, status from open_tasks where admitted_at is not null
            and (${last}::uuid is null or id > ${last}::uuid))
        select id, worker_id from admitted left join attempts
          on admitted.status = 'in_progress' and task_id = admitted.id and attempts.attempt = admitted.attempt
        where not exists (select from processes
          where processes.id = worker_id and seen_at > now() - make_interval(secs => ${silentSeconds}))
        order by id limit ${limit}`.execute(db);
      return result.rows.map((row) => ({ taskId: taskId(row.id), workerId: row.worker_id }));
    },

    /** Records why tasks wait for admission again. The reason is erased when they are admitted. */
    async explain(ids: readonly string[], reason: OpenTaskReason): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('open_tasks')
        .set({ reason })
        .where('id', '=', anyOf(ids.map((id) => toUuid('task', id))))
        .execute();
    },

    /**
     * Notes that a run of a task's workflow ends because the task is not admitted. Returns false if it is admitted by
     * now, or over. A later admission starts another run, even if this one is still open.
     */
    async noteEndedRun(id: string, run: string): Promise<boolean> {
      const row = await db
        .updateTable('open_tasks')
        .set({ ended_run: run })
        .where('id', '=', toUuid('task', id))
        .where('admitted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns the ids of tasks that were accepted before a moment and that no engine ever took. */
    async neverBegunBefore(moment: Date, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('open_tasks')
        .select('id')
        .where('id', '<', lowestUuidAt(moment))
        .where('started_at', 'is', null)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => taskId(row.id));
    },

    /** Returns tasks that were accepted before a moment and have not ended, oldest first. */
    async acceptedBefore(moment: Date, limit: number): Promise<{ taskId: string; status: 'queued' | 'in_progress' }[]> {
      const rows = await db
        .selectFrom('open_tasks')
        .select(['id', 'status'])
        .where('id', '<', lowestUuidAt(moment))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ taskId: taskId(row.id), status: row.status }));
    },

    /** Admitted tasks without check, progress or outbox message since the moment; the longest unchecked comes first. */
    async silentSince(moment: Date, limit: number) {
      const rows = await db
        .selectFrom('open_tasks')
        .innerJoin('projects', 'projects.id', 'open_tasks.project_id')
        .leftJoin('live_entries', 'live_entries.task_id', 'open_tasks.id')
        .select(['open_tasks.id', 'status', 'pool', 'project_id', 'restarts', 'weight'])
        .where('admitted_at', 'is not', null)
        .where('checked_at', '<', moment)
        .where((row) =>
          row.or([row('live_entries.updated_at', 'is', null), row('live_entries.updated_at', '<', moment)]),
        )
        .where((row) =>
          row.not(
            row.exists(row.selectFrom('outbox').select('outbox.id').whereRef('outbox.task_id', '=', 'open_tasks.id')),
          ),
        )
        .orderBy('checked_at')
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
        .updateTable('open_tasks')
        .set({ checked_at: at })
        .where('id', '=', anyOf(ids.map((id) => toUuid('task', id))))
        .execute();
    },

    /** Marks a task as checked if nobody has done so since the moment. */
    async claimCheck(id: string, before: Date, at: Date): Promise<boolean> {
      const row = await db
        .updateTable('open_tasks')
        .set({ checked_at: at })
        .where('id', '=', toUuid('task', id))
        .where('checked_at', '<', before)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns at most `limit` active tasks of a project, for a suspension that cancels them page by page. */
    async activeOf(project: string, limit: number): Promise<string[]> {
      const uuid = toUuid('proj', project);
      const result = await sql<{ id: string }>`
        (select id from open_tasks where project_id = ${uuid} and admitted_at is null limit ${limit})
        union all
        (select id from open_tasks where project_id = ${uuid} and admitted_at is not null limit ${limit})
        limit ${limit}`.execute(db);
      return result.rows.map((row) => taskId(row.id));
    },
  };
}
