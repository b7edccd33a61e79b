import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../domain/id.ts';
import {
  activeStatuses,
  type Task,
  type TaskError,
  type TaskRequest,
  type TaskStage,
  type TaskStatus,
  type TaskVideo,
  type TransitionName,
  transitions,
} from '../domain/task.ts';
import { projectId, taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';
import { type CountedTask, toCountedTask, toTask } from './task-row.ts';

export interface NewTask extends TaskRequest {
  id: string;
  projectId: string;
  livemode: boolean;
  keyId: string;
  createdAt: Date;
}

/** Restricts a change of status to the attempt that its author knows. */
interface Expected {
  attempt?: number | undefined;
}

interface TaskChanges {
  completedAt?: Date;
  expiresAt?: Date;
  startedAt?: Date;
  stage?: TaskStage;
  video?: TaskVideo;
  error?: TaskError;
  countsAsFailedAttempt?: boolean;
  countsAsRefusal?: boolean;
  engineSeconds?: number;
}

export function taskTable(db: Kysely<Schema>) {
  return {
    async insert(task: NewTask): Promise<Task> {
      const row = await db
        .insertInto('tasks')
        .values({
          id: toUuid('task', task.id),
          project_id: toUuid('proj', task.projectId),
          livemode: task.livemode,
          key_id: toUuid('key', task.keyId),
          type: task.type,
          status: 'queued',
          stage: 'waiting',
          model: task.model,
          pool: task.pool,
          prompt: task.prompt,
          negative_prompt: task.negativePrompt,
          resolution: task.resolution,
          aspect_ratio: task.aspectRatio,
          duration_seconds: task.durationSeconds,
          seed: task.seed,
          image: task.image === null ? null : JSON.stringify(task.image),
          warnings: JSON.stringify(task.warnings),
          metadata: JSON.stringify(task.metadata),
          created_at: task.createdAt,
          checked_at: task.createdAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toTask(row);
    },

    async find(id: string): Promise<CountedTask | null> {
      const row = await db.selectFrom('tasks').selectAll().where('id', '=', toUuid('task', id)).executeTakeFirst();
      return toCountedTask(row);
    },

    /** The same, with the row locked until the transaction ends. */
    async lock(id: string): Promise<CountedTask | null> {
      const row = await db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', toUuid('task', id))
        .forUpdate()
        .executeTakeFirst();
      return toCountedTask(row);
    },

    /** A task with what its reader is shown beside it, in one query. */
    async findForReader(id: string, reader: { projectId: string; livemode: boolean }) {
      const row = await db
        .selectFrom('tasks')
        .innerJoin('projects', 'projects.id', 'tasks.project_id')
        .innerJoin('project_slots', (join) =>
          join
            .onRef('project_slots.project_id', '=', 'tasks.project_id')
            .onRef('project_slots.livemode', '=', 'tasks.livemode'),
        )
        .leftJoin('live_entries', 'live_entries.task_id', 'tasks.id')
        .selectAll('tasks')
        .select([
          'projects.reads_per_minute',
          'project_slots.running',
          'project_slots.waiting',
          'live_entries.attempt as live_attempt',
          'live_entries.stage as live_stage',
          'live_entries.progress as live_progress',
          'live_entries.progress_source as live_progress_source',
        ])
        .where('tasks.id', '=', toUuid('task', id))
        .where('tasks.project_id', '=', toUuid('proj', reader.projectId))
        .where('tasks.livemode', '=', reader.livemode)
        .executeTakeFirst();
      if (!row) return null;
      const { live_attempt, live_stage, live_progress, live_progress_source } = row;
      const hasLive =
        live_attempt === row.attempt && live_stage !== null && live_progress !== null && live_progress_source !== null;
      return {
        task: toTask(row),
        activeTasks: row.running + row.waiting,
        readsPerMinute: row.reads_per_minute,
        live: hasLive
          ? { attempt: row.attempt, stage: live_stage, progress: live_progress, progressSource: live_progress_source }
          : null,
      };
    },

    /**
     * The only statement that changes a status: a compare-and-set along domain/task.ts's transitions.
     * Answers the changed task, or null when the row is not where its author thinks it is.
     */
    async change(
      id: string,
      name: TransitionName,
      expected: Expected,
      changes: TaskChanges,
    ): Promise<CountedTask | null> {
      const transition = transitions[name];
      const stage = changes.stage ?? (transition.to === 'queued' ? 'waiting' : null);
      let update = db
        .updateTable('tasks')
        .set((row) => ({
          status: transition.to,
          version: row('version', '+', 1),
          ...(stage === null ? {} : { stage }),
          ...(name === 'retry' ? { attempt: row('attempt', '+', 1) } : {}),
          ...(changes.startedAt ? { started_at: row.fn.coalesce('started_at', row.val(changes.startedAt)) } : {}),
          ...(changes.completedAt ? { completed_at: changes.completedAt } : {}),
          ...(changes.expiresAt ? { expires_at: changes.expiresAt } : {}),
          ...(changes.video ? { video: JSON.stringify(changes.video) } : {}),
          ...(changes.error ? { error: JSON.stringify(changes.error) } : {}),
          ...(changes.countsAsFailedAttempt ? { failed_attempts: row('failed_attempts', '+', 1) } : {}),
          ...(changes.countsAsRefusal
            ? { refusals_in_a_row: row('refusals_in_a_row', '+', 1) }
            : changes.countsAsFailedAttempt
              ? { refusals_in_a_row: 0 }
              : {}),
          ...(changes.engineSeconds ? { engine_seconds: row('engine_seconds', '+', changes.engineSeconds) } : {}),
        }))
        .where('id', '=', toUuid('task', id))
        .where('status', 'in', transition.from as readonly TaskStatus[]);
      if (expected.attempt !== undefined) update = update.where('attempt', '=', expected.attempt);
      const row = await update.returningAll().executeTakeFirst();
      return toCountedTask(row);
    },

    /** Rendering is over: the row remembers it, so that the loss of `live` does not bring an old stage back. */
    async markFinishing(id: string, attempt: number, engineSeconds: number): Promise<void> {
      await db
        .updateTable('tasks')
        .set((row) => ({
          stage: 'finishing',
          version: row('version', '+', 1),
          engine_seconds: row('engine_seconds', '+', engineSeconds),
        }))
        .where('id', '=', toUuid('task', id))
        .where('status', '=', 'in_progress')
        .where('attempt', '=', attempt)
        .execute();
    },

    /** Takes the head of a project's queue into the running, skipping rows that others hold. The project row is locked. */
    async admitHead(project: { projectId: string; livemode: boolean }, limit: number, at: Date) {
      // A common table expression is run once; a subselect may be run again for each row, and then finds more than its limit.
      const rows = await db
        .with('head', (inner) =>
          inner
            .selectFrom('tasks')
            .select('id')
            .where('project_id', '=', toUuid('proj', project.projectId))
            .where('livemode', '=', project.livemode)
            .where('status', '=', 'queued')
            .where('admitted_at', 'is', null)
            .orderBy('priority')
            .orderBy('id')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .updateTable('tasks')
        .from('head')
        .set({ admitted_at: at, checked_at: at })
        .whereRef('tasks.id', '=', 'head.id')
        .returning(['tasks.id', 'tasks.pool'])
        .execute();
      return rows.map((row) => ({ taskId: taskId(row.id), pool: row.pool }));
    },

    /** Status and attempt of many tasks in one query: what a worker asks every second. */
    async standing(ids: readonly string[]): Promise<Map<string, { status: TaskStatus; attempt: number }>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('tasks')
        .select(['id', 'status', 'attempt'])
        .where(
          'id',
          'in',
          ids.map((id) => toUuid('task', id)),
        )
        .execute();
      return new Map(rows.map((row) => [taskId(row.id), { status: row.status, attempt: row.attempt }]));
    },

    /** Ids of tasks that were accepted before a moment and that no engine ever took. */
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

    /** Admitted tasks nobody seems to work on: no young sign of life, nothing in the outbox; oldest check first. */
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

    /** Counts one more restart of a task's workflow, if the task is still active and no other relay was quicker. */
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

    /** How many tasks of each project really run and wait, by the rows themselves. */
    async countActive() {
      // Two halves, each with a partial index of its own: what ended long ago is never looked at.
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

    /** Waiting and running tasks of a project, at most `limit`: what a suspension with cancel ends, page by page. */
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

    /** Which of these object keys a row of the task names; for a task that is gone, none. */
    async namedObjects(id: string): Promise<{ keys: string[]; isActive: boolean }> {
      const row = await db
        .selectFrom('tasks')
        .select(['status', 'image', 'video'])
        .where('id', '=', toUuid('task', id))
        .executeTakeFirst();
      if (!row) return { keys: [], isActive: false };
      const keys = [row.image?.objectKey, row.video?.objectKey, row.video?.thumbnailKey, row.video?.spritesheetKey];
      return {
        keys: keys.filter((key) => key !== undefined),
        isActive: row.status === 'queued' || row.status === 'in_progress',
      };
    },
  };
}
