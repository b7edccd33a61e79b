import { type Kysely, sql } from 'kysely';
import { totalWaitingFactor } from '../../domain/caller.ts';
import { createBurst } from '../../domain/rate-limit.ts';
import type { TaskRequest } from '../../domain/task.ts';
import { WaitingLimitReached } from '../../errors.ts';
import { compileOnce } from '../connection/compile-once.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { dueIn, type OutboxMessage } from './outbox-table.ts';
import { isUnserved } from './unserved-pool-table.ts';

export interface NewTask extends TaskRequest {
  id: string;
  projectId: string;
  livemode: boolean;
  keyId: string;
  createdAt: Date;
}

/** A create that was counted and stored. */
interface Acceptance {
  /** The project's creation limit after this create. */
  createAllowedAt: Date;
  /** The message that starts the task's workflow; null if the task waits. */
  start: Extract<OutboxMessage, { kind: 'start' }> | null;
  /** Whether older tasks wait although there is room, so that they are to be admitted in their order. */
  hasRoomForWaiting: boolean;
}

/** How far ahead of its time a create may come: the burst, and 2 s at least, as creates never arrive evenly. */
export const createTolerance = sql`make_interval(secs => greatest(60.0 / projects.creates_per_minute * ${sql.lit(createBurst - 1)}, 2))`;

/** In all pools together. Each pool has the limit of the project, so that no pool uses up another's. */
export const totalWaitingLimit = sql`projects.waiting_limit * ${sql.lit(totalWaitingFactor)}::bigint`;

interface AcceptedRow {
  create_allowed_at: Date;
  running: number;
  waiting: number;
  cap: number;
  weight: number;
  outbox_id: string | null;
}

/**
 * The task runs at once if no other task waits, the project has room and the pool is served. Then `waiting` stays 0, and
 * the rest of the statement knows by that. Every expression of `taken` sees the newest version of the row that it locks,
 * because Postgres evaluates it again if it had to wait for the lock. It does not read other tables again then: a
 * suspension that it has waited for shows in the cap, and a limit on waiting tasks that was reached meanwhile makes the
 * count null, which fails the statement.
 */
const accept = compileOnce((_, task: Record<keyof ReturnType<typeof toValues>, unknown>) => {
  const runsNow = sql`(project_slots.waiting = 0 and running < cap and is_served)`;
  return sql<AcceptedRow>`
    with taken as (
      update project_slots set
        running = running + case when ${runsNow} then 1 else 0 end,
        waiting = waiting + case when ${runsNow} then 0 else 1 end,
        stored_bytes = stored_bytes + ${task.storedBytes}::bigint,
        create_allowed_at = greatest(create_allowed_at, clock_timestamp()) + make_interval(secs => 60.0 / projects.creates_per_minute)
      from projects, (
        select not exists (
          select from unserved_pools
          where pool = ${task.pool} and ${isUnserved}
        ) as is_served
      ) pool
      where projects.id = project_slots.project_id
        and project_slots.project_id = ${task.project} and livemode = ${task.livemode}
        and projects.suspended_at is null
        and (cap > 0 or running_limit = 0)
        and coalesce((
          select queue.waiting from pool_waiting queue
          where queue.project_id = project_slots.project_id and queue.livemode = project_slots.livemode
            and queue.pool = ${task.pool}
        ), 0) < projects.waiting_limit
        and project_slots.waiting < ${totalWaitingLimit}
        and stored_bytes < storage_limit_bytes and stored_bytes + ${task.storedBytes}::bigint <= storage_limit_bytes
        and create_allowed_at <= clock_timestamp() + ${createTolerance}
      returning project_slots.project_id, livemode, create_allowed_at, running, waiting, cap, weight
    ), counted as (
      insert into pool_waiting (project_id, livemode, pool, waiting)
      select project_id, livemode, ${task.pool}, 1 from taken where waiting > 0
      on conflict (project_id, livemode, pool) do update set waiting =
        case when pool_waiting.waiting < (select waiting_limit from projects where id = pool_waiting.project_id)
          then pool_waiting.waiting + 1 end
    ), inserted as (
      insert into tasks (id, project_id, livemode, key_id, type, status, stage, model, pool, prompt, negative_prompt,
        resolution, aspect_ratio, duration_seconds, seed, image, warnings, metadata, callback_url, callback_events, price,
        stored_bytes, created_at, checked_at, admitted_at)
      select ${task.id}::uuid, project_id, livemode, ${task.key}::uuid, ${task.type}, 'queued', 'waiting', ${task.model},
        ${task.pool}, ${task.prompt}, ${task.negativePrompt}, ${task.resolution}, ${task.aspectRatio},
        ${task.durationSeconds}::int, ${task.seed}::bigint, ${task.image}::jsonb, ${task.warnings}::jsonb,
        ${task.metadata}::jsonb, ${task.callbackUrl}, ${task.callbackEvents}::text[], ${task.price}::jsonb,
        ${task.storedBytes}::bigint, ${task.at}::timestamptz, ${task.at}::timestamptz,
        case when waiting = 0 then ${task.at}::timestamptz end
      from taken
    ), started as (
      insert into outbox (kind, task_id, project_id, pool, weight, enter, created_at, due_at)
      select 'start', ${task.id}::uuid, project_id, ${task.pool}, weight, 'generate', ${dueIn(0)},
        ${dueIn(task.delayMilliseconds)}
      from taken where waiting = 0
      returning id
    )
    select create_allowed_at, running, waiting, cap, weight, (select id from started) as outbox_id from taken`;
});

function isCountRefused(error: unknown): boolean {
  const { code, table } = error as { code?: unknown; table?: unknown };
  return code === '23502' && table === 'pool_waiting';
}

export function acceptanceTable(db: Kysely<Schema>) {
  return {
    /**
     * Uses up one create (GCRA), one of the waiting tasks and the bytes of the image, stores the task and admits it
     * if nothing waits before it, all in one statement: outside of a transaction it is committed when this returns. The
     * size of the video is not known yet, so a project that is at its limit may be over it by the videos of the tasks
     * that it has accepted. Returns null if a limit refuses the create; `createQuotaState` shows which one.
     * The time is Postgres's own, read once the row is locked: if callers passed their own time, a create that had
     * waited for the row, or whose process has a slower clock, would seem to come too early.
     */
    async accept(task: NewTask, delayMilliseconds: number): Promise<Acceptance | null> {
      const result = await db.executeQuery(accept(toValues(task, delayMilliseconds))).catch((error: unknown) => {
        throw isCountRefused(error) ? new WaitingLimitReached() : error;
      });
      const row = result.rows[0];
      if (!row) return null;
      const { id: taskId, projectId, pool } = task;
      const { weight } = row;
      return {
        createAllowedAt: row.create_allowed_at,
        start:
          row.outbox_id === null
            ? null
            : { kind: 'start', outboxId: row.outbox_id, tries: 0, taskId, projectId, pool, weight, enter: 'generate' },
        hasRoomForWaiting: row.waiting > 1 && row.running < row.cap,
      };
    },
  };
}

function toValues(task: NewTask, delayMilliseconds: number) {
  return {
    id: toUuid('task', task.id),
    project: toUuid('proj', task.projectId),
    livemode: task.livemode,
    key: toUuid('key', task.keyId),
    type: task.type,
    model: task.model,
    pool: task.pool,
    prompt: task.prompt,
    negativePrompt: task.negativePrompt,
    resolution: task.resolution,
    aspectRatio: task.aspectRatio,
    durationSeconds: task.durationSeconds,
    seed: task.seed,
    image: task.image === null ? null : JSON.stringify(task.image),
    warnings: JSON.stringify(task.warnings),
    metadata: JSON.stringify(task.metadata),
    callbackUrl: task.callbackUrl,
    callbackEvents: task.callbackEvents === null ? null : [...task.callbackEvents],
    price: task.price ? JSON.stringify(task.price) : null,
    storedBytes: task.image?.sizeBytes ?? 0,
    at: task.createdAt,
    delayMilliseconds,
  };
}
