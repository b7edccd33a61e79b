import { type Kysely, type Selectable, sql } from 'kysely';
import {
  activeStatuses,
  type TaskError,
  type TaskStage,
  type TaskStatus,
  type TaskVideo,
  type TransitionName,
  transitions,
} from '../../domain/task.ts';
import { anyOf, projectId, taskId, toUuid } from '../connection/ids.ts';
import type { Schema, TaskRow } from '../connection/schema.ts';
import { type CountedTask, toCountedTask } from './task-row.ts';
import { taskUpkeep } from './task-upkeep.ts';

/** Restricts a change of status to the attempt that the writer knows. */
interface Expected {
  attempt?: number | undefined;
}

interface TaskChanges {
  completedAt?: Date;
  startedAt?: Date;
  stage?: TaskStage;
  video?: TaskVideo;
  error?: TaskError;
  countsAsFailedAttempt?: boolean;
  countsAsRefusal?: boolean;
  engineSeconds?: number;
}

/** What a listener needs to know of a changed row to decide whether to read it. */
export interface TaskChange {
  taskId: string;
  projectId: string;
  livemode: boolean;
  version: number;
}

interface TaskTableOptions {
  fileRetentionDays: number;
  onTaskChanged?: ((change: TaskChange) => void) | undefined;
}

/** The stage that callers saw last: while a task renders, its row says `preparing` and its live entry is ahead. */
const stageReached = sql<TaskStage>`coalesce((select live.stage from live_entries live
  where live.task_id = tasks.id and live.attempt = tasks.attempt and tasks.stage = 'preparing'), tasks.stage)`;

export function taskTable(db: Kysely<Schema>, { fileRetentionDays, onTaskChanged }: TaskTableOptions) {
  /** Every statement that makes a new version of a row calls this, so that no follower of a task misses one. */
  const notifyChange = (row: Pick<Selectable<TaskRow>, (typeof changeColumns)[number]> | undefined): void => {
    if (!row) return;
    const { livemode, version } = row;
    onTaskChanged?.({ taskId: taskId(row.id), projectId: projectId(row.project_id), livemode, version });
  };
  return {
    ...taskUpkeep(db),

    async find(id: string): Promise<CountedTask | null> {
      const row = await db.selectFrom('tasks').selectAll().where('id', '=', toUuid('task', id)).executeTakeFirst();
      return toCountedTask(row);
    },

    /** Returns a task and locks its row until the transaction ends. */
    async lock(id: string): Promise<CountedTask | null> {
      const row = await db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', toUuid('task', id))
        .forUpdate()
        .executeTakeFirst();
      return toCountedTask(row);
    },

    /** Returns a task if it belongs to this project and mode. */
    async findOf(owner: { projectId: string; livemode: boolean }, id: string): Promise<CountedTask | null> {
      const row = await db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', toUuid('task', id))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .executeTakeFirst();
      return toCountedTask(row);
    },

    /**
     * The only statement that changes a status: a compare-and-set along domain/task.ts's transitions.
     * Returns the changed task, or null if the row is not in a state that allows the change.
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
          ...(name === 'cancel' ? { stage: stageReached } : {}),
          ...(name === 'retry' ? { attempt: row('attempt', '+', 1) } : {}),
          ...(changes.startedAt ? { started_at: row.fn.coalesce('started_at', row.val(changes.startedAt)) } : {}),
          // However a task ends, its files expire after the retention time: a failed task still has its image.
          ...(changes.completedAt
            ? { completed_at: changes.completedAt, expires_at: daysAfter(changes.completedAt, fileRetentionDays) }
            : {}),
          ...(changes.video
            ? { video: JSON.stringify(changes.video), stored_bytes: moreStored(changes.video.storedBytes ?? 0) }
            : {}),
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
        .where('status', '=', sql<TaskStatus>`any(${transition.from}::text[])`);
      // A task whose admission was taken back must not begin: it does not count against its project's cap.
      if (name === 'begin') update = update.where('admitted_at', 'is not', null);
      if (expected.attempt !== undefined) update = update.where('attempt', '=', expected.attempt);
      const row = await update.returningAll().executeTakeFirst();
      notifyChange(row);
      return toCountedTask(row);
    },

    /** Records in the row that rendering is over, so that the loss of live entries does not bring an old stage back. */
    async markFinishing(id: string, attempt: number, engineSeconds: number): Promise<void> {
      const row = await db
        .updateTable('tasks')
        .set((row) => ({
          stage: 'finishing',
          version: row('version', '+', 1),
          engine_seconds: row('engine_seconds', '+', engineSeconds),
        }))
        .where('id', '=', toUuid('task', id))
        .where('status', '=', 'in_progress')
        .where('attempt', '=', attempt)
        .returning(changeColumns)
        .executeTakeFirst();
      notifyChange(row);
    },

    /** Takes back the admission of tasks that have not begun; skips those that have, and those that others have locked. */
    async giveBack(ids: readonly string[]): Promise<{ taskId: string; pool: string }[]> {
      const uuids = ids.map((id) => toUuid('task', id));
      const rows = await db
        .with('stranded', (inner) =>
          inner
            .selectFrom('tasks')
            .select('id')
            .where('id', '=', anyOf(uuids))
            .where('status', '=', 'queued')
            .where('admitted_at', 'is not', null)
            .forUpdate()
            .skipLocked(),
        )
        .updateTable('tasks')
        .from('stranded')
        .set({ admitted_at: null })
        .whereRef('tasks.id', '=', 'stranded.id')
        .where('tasks.id', '=', anyOf(uuids))
        .returning(['tasks.id', 'tasks.pool'])
        .execute();
      return rows.map((row) => ({ taskId: taskId(row.id), pool: row.pool }));
    },

    /** Returns the status and attempt of many tasks in one query, which a worker runs every second. */
    async states(ids: readonly string[]): Promise<Map<string, { status: TaskStatus; attempt: number }>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('tasks')
        .select(['id', 'status', 'attempt'])
        .where('id', '=', anyOf(ids.map((id) => toUuid('task', id))))
        .execute();
      return new Map(rows.map((row) => [taskId(row.id), { status: row.status, attempt: row.attempt }]));
    },

    /** Makes an ended task a tombstone: texts and files go, the metadata stays. Returns whether this call made it. */
    async erase(id: string, at: Date): Promise<boolean> {
      const row = await db
        .updateTable('tasks')
        .set((row) => ({
          deleted_at: at,
          version: row('version', '+', 1),
          prompt: '',
          negative_prompt: null,
          metadata: '{}',
          warnings: '[]',
          image: null,
          // callback_url stays: pending deliveries still go there, with nothing but the status.
          expires_at: row.fn<Date>('least', ['expires_at', row.val(at)]),
        }))
        .where('id', '=', toUuid('task', id))
        .where('status', 'not in', activeStatuses)
        .where('deleted_at', 'is', null)
        .returning(changeColumns)
        .executeTakeFirst();
      notifyChange(row);
      return row !== undefined;
    },

    /** Records that the callbacks' receiver wants no more. Callers do not see it, so the version stays. */
    async endCallbacks(id: string, at: Date): Promise<void> {
      await db.updateTable('tasks').set({ callbacks_ended_at: at }).where('id', '=', toUuid('task', id)).execute();
    },
  };
}

const changeColumns = ['id', 'project_id', 'livemode', 'version'] as const;

const moreStored = (bytes: number) => sql<string>`stored_bytes + ${bytes}::bigint`;

function daysAfter(moment: Date, days: number): Date {
  return new Date(moment.getTime() + days * 24 * 60 * 60 * 1000);
}
