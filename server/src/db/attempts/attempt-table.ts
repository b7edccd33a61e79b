import { type Kysely, type Selectable, sql } from 'kysely';
import { taskId, toUuid } from '../connection/ids.ts';
import type { AttemptRow, Schema } from '../connection/schema.ts';

export interface Attempt {
  taskId: string;
  attempt: number;
  endpointId: string;
  slot: number;
  /** Every writer of the attempt must hold this number; a takeover draws the next one. */
  fencing: string;
  engineJobId: string;
  operation: Record<string, string | number> | null;
  beganAt: Date;
  slotFreedAt: Date | null;
}

export function attemptTable(db: Kysely<Schema>) {
  const holder = (attempt: Attempt) => ({
    task_id: toUuid('task', attempt.taskId),
    attempt: attempt.attempt,
    fencing: attempt.fencing,
  });

  return {
    async insert(attempt: Omit<Attempt, 'slotFreedAt'>, workerId: string): Promise<void> {
      await db
        .insertInto('attempts')
        .values({
          task_id: toUuid('task', attempt.taskId),
          attempt: attempt.attempt,
          endpoint_id: attempt.endpointId,
          slot: attempt.slot,
          fencing: attempt.fencing,
          engine_job_id: attempt.engineJobId,
          operation: attempt.operation === null ? null : JSON.stringify(attempt.operation),
          began_at: attempt.beganAt,
          worker_id: workerId,
        })
        .execute();
    },

    async find(id: string, number: number): Promise<Attempt | null> {
      const row = await db
        .selectFrom('attempts')
        .selectAll()
        .where('task_id', '=', toUuid('task', id))
        .where('attempt', '=', number)
        .executeTakeFirst();
      return row ? toAttempt(row) : null;
    },

    /** Returns whether the attempt has not ended and still has this fencing number. */
    async isHeld(attempt: Attempt): Promise<boolean> {
      const row = await db
        .selectFrom('attempts')
        .select('attempt')
        .where((where) => where.and(holder(attempt)))
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns all attempts of a task, first to last. */
    async list(id: string): Promise<(Attempt & { endedAt: Date | null; outcome: string | null; takeovers: number })[]> {
      const rows = await db
        .selectFrom('attempts')
        .selectAll()
        .where('task_id', '=', toUuid('task', id))
        .orderBy('attempt')
        .execute();
      return rows.map((row) => ({
        ...toAttempt(row),
        endedAt: row.ended_at,
        outcome: row.outcome,
        takeovers: row.takeovers,
      }));
    },

    /** Makes a worker the attempt's only writer: every later write of the former holder fails on its old number. */
    async takeOver(id: string, number: number, workerId: string): Promise<Attempt | null> {
      const row = await db
        .updateTable('attempts')
        .set((current) => ({
          fencing: sql<string>`nextval('fencing_numbers')`,
          takeovers: current('takeovers', '+', 1),
          worker_id: workerId,
        }))
        .where('task_id', '=', toUuid('task', id))
        .where('attempt', '=', number)
        .returningAll()
        .executeTakeFirst();
      return row ? toAttempt(row) : null;
    },

    /** Records that the job has ended. Returns false if the attempt was taken over, or if that was recorded already. */
    async markSlotFreed(attempt: Attempt, at: Date, engineSeconds: number): Promise<boolean> {
      const row = await db
        .updateTable('attempts')
        .set({ slot_freed_at: at, engine_seconds: engineSeconds })
        .where((where) => where.and(holder(attempt)))
        .where('slot_freed_at', 'is', null)
        .returning('attempt')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Records how an attempt ended; the first outcome is final. */
    async markEnded(id: string, number: number, outcome: string, at: Date): Promise<void> {
      await db
        .updateTable('attempts')
        .set({ ended_at: at, outcome })
        .where('task_id', '=', toUuid('task', id))
        .where('attempt', '=', number)
        .where('ended_at', 'is', null)
        .execute();
    },
  };
}

function toAttempt(row: Selectable<AttemptRow>): Attempt {
  return {
    taskId: taskId(row.task_id),
    attempt: row.attempt,
    endpointId: row.endpoint_id,
    slot: row.slot,
    fencing: row.fencing,
    engineJobId: row.engine_job_id,
    operation: row.operation,
    beganAt: row.began_at,
    slotFreedAt: row.slot_freed_at,
  };
}
