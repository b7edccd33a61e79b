import type { Selectable } from 'kysely';
import type { Task, TaskStage } from '../domain/task.ts';
import { keyId, projectId, taskId } from './ids.ts';
import type { LiveEntry } from './live-entries.ts';
import type { TaskRow } from './schema.ts';

/** What the service itself needs to know of a row, beside the task that callers see. */
interface TaskCounters {
  failedAttempts: number;
  refusalsInARow: number;
  restarts: number;
  isAdmitted: boolean;
  /** The receiver of its callbacks said that it wants no more. */
  areCallbacksEnded: boolean;
}

export type CountedTask = Task & { counters: TaskCounters };

/** A row, where there is one, with both what callers see and what the service needs to know. */
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

/** A row as the task it stands for; a row that lacks what its status promises is an error, not a half task. */
export function toTask(row: Selectable<TaskRow>): Task {
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
  if (value === null) throw new Error('a task row lacks what its status promises');
  return value;
}

/** The columns of live_entries as they stand beside a task's row, where there is an entry. */
interface LiveColumns {
  live_attempt: number | null;
  live_stage: TaskStage | null;
  live_progress: number | null;
  live_progress_source: LiveEntry['progressSource'] | null;
}

/** What was last heard of the row's present attempt; of an older one there is nothing to say. */
export function toLive(row: LiveColumns & { attempt: number }): LiveEntry | null {
  const { live_attempt, live_stage, live_progress, live_progress_source } = row;
  const hasLive =
    live_attempt === row.attempt && live_stage !== null && live_progress !== null && live_progress_source !== null;
  return hasLive
    ? { attempt: row.attempt, stage: live_stage, progress: live_progress, progressSource: live_progress_source }
    : null;
}
