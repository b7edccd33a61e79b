import type { Selectable } from 'kysely';
import type { Task, TaskStage } from '../../domain/task.ts';
import type { LiveEntry } from '../attempts/live-entry-table.ts';
import { keyId, projectId, taskId } from '../connection/ids.ts';
import type { TaskRow } from '../connection/schema.ts';

/** The columns that only the service needs, besides the task that callers see. */
interface TaskCounters {
  failedAttempts: number;
  refusalsInARow: number;
  restarts: number;
  isAdmitted: boolean;
  /** Whether the receiver of its callbacks responded that it wants no more. */
  areCallbacksEnded: boolean;
}

export type CountedTask = Task & { counters: TaskCounters };

/** Converts a row, if there is one, to the task that callers see and the counters that the service needs. */
export function toCountedTask(row: Selectable<TaskRow> | undefined): CountedTask | null {
  return row ? { ...toTask(row), counters: toCounters(row) } : null;
}

function toCounters(row: Selectable<TaskRow>): TaskCounters {
  return {
    failedAttempts: row.failed_attempts,
    refusalsInARow: row.refusals_in_a_row,
    restarts: row.restarts,
    isAdmitted: row.admitted_at !== null,
    areCallbacksEnded: row.callbacks_ended_at !== null,
  };
}

/** The columns of a task that callers see. */
export const taskColumns = [
  'tasks.id',
  'tasks.project_id',
  'tasks.livemode',
  'tasks.key_id',
  'tasks.type',
  'tasks.status',
  'tasks.stage',
  'tasks.version',
  'tasks.attempt',
  'tasks.model',
  'tasks.pool',
  'tasks.prompt',
  'tasks.negative_prompt',
  'tasks.resolution',
  'tasks.aspect_ratio',
  'tasks.duration_seconds',
  'tasks.seed',
  'tasks.image',
  'tasks.warnings',
  'tasks.metadata',
  'tasks.video',
  'tasks.error',
  'tasks.engine_seconds',
  'tasks.created_at',
  'tasks.admitted_at',
  'tasks.started_at',
  'tasks.completed_at',
  'tasks.expires_at',
  'tasks.deleted_at',
  'tasks.callback_url',
  'tasks.callback_events',
  'tasks.price',
] as const;
type ColumnOf<Name> = Name extends `tasks.${infer Column extends keyof TaskRow}` ? Column : never;
export type ShownTaskRow = Pick<Selectable<TaskRow>, ColumnOf<(typeof taskColumns)[number]>>;

/** Converts a row to a task. A row without a column that its status requires is an error, not half a task. */
export function toTask(row: ShownTaskRow): Task {
  const base = {
    id: taskId(row.id),
    projectId: projectId(row.project_id),
    livemode: row.livemode,
    keyId: keyId(row.key_id),
    version: row.version,
    attempt: row.attempt,
    type: row.type,
    model: row.model,
    pool: row.pool,
    prompt: row.prompt,
    negativePrompt: row.negative_prompt,
    resolution: row.resolution,
    aspectRatio: row.aspect_ratio,
    durationSeconds: row.duration_seconds,
    seed: Number(row.seed),
    image: row.image,
    warnings: row.warnings,
    metadata: row.metadata,
    callbackUrl: row.callback_url,
    callbackEvents: row.callback_events,
    price: row.price,
    createdAt: row.created_at,
    startedAt: row.started_at,
    engineSeconds: row.engine_seconds,
    deletedAt: row.deleted_at,
  };
  switch (row.status) {
    case 'queued':
      return { ...base, status: 'queued', admittedAt: row.admitted_at };
    case 'in_progress':
      return { ...base, status: 'in_progress', stage: row.stage === 'waiting' ? 'preparing' : row.stage };
    case 'completed':
      return {
        ...base,
        status: 'completed',
        completedAt: present(row.completed_at),
        expiresAt: present(row.expires_at),
        video: present(row.video),
      };
    case 'failed':
      return { ...base, status: 'failed', completedAt: present(row.completed_at), error: present(row.error) };
    case 'cancelled':
      return { ...base, status: 'cancelled', completedAt: present(row.completed_at), stage: row.stage };
  }
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('a task row lacks a column that its status requires');
  return value;
}

/** The columns of live_entries joined to a task's row; null if there is no entry. */
export interface LiveColumns {
  live_attempt: number | null;
  live_stage: TaskStage | null;
  live_progress: number | null;
  live_progress_source: LiveEntry['progressSource'] | null;
}

/** The last reported progress of the row's current attempt; null if there is none or it is of an older attempt. */
export function toLive(row: LiveColumns & { attempt: number }): LiveEntry | null {
  const { live_attempt, live_stage, live_progress, live_progress_source } = row;
  const hasLive =
    live_attempt === row.attempt && live_stage !== null && live_progress !== null && live_progress_source !== null;
  return hasLive
    ? { attempt: row.attempt, stage: live_stage, progress: live_progress, progressSource: live_progress_source }
    : null;
}
