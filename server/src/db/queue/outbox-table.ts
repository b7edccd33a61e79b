import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { deliveryId, projectId, taskId, toUuid } from '../connection/ids.ts';
import type { OutboxRow, Schema } from '../connection/schema.ts';

/** Requests the start of a task's workflow, or its cancellation. */
interface NewTaskMessage<Kind extends 'start' | 'cancel'> {
  kind: Kind;
  taskId: string;
  projectId: string;
  pool: string;
  weight: number;
  enter: 'generate' | 'follow';
  /** Whether the workflow starts even if one of this id has completed. */
  afterCompletion?: boolean;
}

/** Requests the start of a delivery's workflow. */
interface NewDeliveryMessage {
  kind: 'deliver';
  deliveryId: string;
  projectId: string;
}

export type NewOutboxMessage = NewTaskMessage<'start'> | NewTaskMessage<'cancel'> | NewDeliveryMessage;
export type OutboxMessage = NewOutboxMessage & { outboxId: string; tries: number; endedRun?: string | null };

/** The run that a start must not find: it decided to end before the task was admitted, and may still be open. */
const endedRun = sql<string | null>`(
  select ended_run from open_tasks where open_tasks.id = outbox.task_id and after_completion and status = 'queued'
)`.as('ended_run');

/** When a message is due, by Postgres's clock; the statement's, as the relay's transaction may last long. */
export function dueIn(delayMilliseconds: unknown): RawBuilder<Date> {
  return sql<Date>`statement_timestamp() + make_interval(secs => ${delayMilliseconds}::float8 / 1000)`;
}

/** As `anyOf`, for numbers. */
const anyNumber = (ids: readonly string[]) => sql<string>`any(${ids}::bigint[])`;

export function outboxTable(db: Kysely<Schema>) {
  return {
    /** Writes messages for Temporal. For `delayMilliseconds` their writer may send them, then the relay does. */
    async add<Message extends NewOutboxMessage>(
      messages: readonly Message[],
      delayMilliseconds = 0,
    ): Promise<(Message & { outboxId: string; tries: number })[]> {
      if (messages.length === 0) return [];
      const rows = await db
        .insertInto('outbox')
        .values(
          messages.map((message) => ({ ...toRow(message), created_at: dueIn(0), due_at: dueIn(delayMilliseconds) })),
        )
        .returning('id')
        .execute();
      return messages.map((message, index) => {
        // The rows of one VALUES list are returned in its order.
        const row = rows[index];
        if (!row) throw new Error('fewer messages were written than given');
        return { ...message, outboxId: row.id, tries: 0 };
      });
    },

    /** Locks messages that are due, skipping those that another relay has locked. */
    async takeDue(limit: number): Promise<OutboxMessage[]> {
      const rows = await db
        .selectFrom('outbox')
        .selectAll()
        .select(endedRun)
        .where('due_at', '<=', dueIn(0))
        .orderBy('due_at')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute();
      return rows.map(toMessage);
    },

    async delete(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db.deleteFrom('outbox').where('id', '=', anyNumber(ids)).execute();
    },

    async postpone(ids: readonly string[], delayMilliseconds: number): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('outbox')
        .set((row) => ({ due_at: dueIn(delayMilliseconds), tries: row('tries', '+', 1) }))
        .where('id', '=', anyNumber(ids))
        .execute();
    },

    /** Whether one is due, and the age of the oldest that Temporal should have; one in its first try is due later. */
    async oldest(): Promise<{ isDue: boolean; ageSeconds: number }> {
      const result = await sql<{ is_due: boolean; age: number | null }>`
        select exists (select from outbox where due_at <= ${dueIn(0)}) as is_due, (
          select extract(epoch from now() - created_at)::float8 from outbox
          where due_at < now() + interval '5 seconds' order by id limit 1
        ) as age`.execute(db);
      const [row] = result.rows;
      return { isDue: row?.is_due ?? false, ageSeconds: row?.age ?? 0 };
    },
  };
}

function toRow(message: NewOutboxMessage): Omit<Insertable<OutboxRow>, 'created_at' | 'due_at'> {
  const { kind } = message;
  const project_id = toUuid('proj', message.projectId);
  if (kind === 'deliver') {
    return { kind, project_id, delivery_id: toUuid('del', message.deliveryId) };
  }
  const { pool, weight, enter, afterCompletion = false } = message;
  return {
    kind,
    project_id,
    task_id: toUuid('task', message.taskId),
    pool,
    weight,
    enter,
    after_completion: afterCompletion,
  };
}

function toMessage(row: Selectable<OutboxRow> & { ended_run: string | null }): OutboxMessage {
  const { id: outboxId, kind, tries, pool, weight, enter } = row;
  const common = { outboxId, tries, projectId: projectId(row.project_id) };
  if (kind === 'deliver' && row.delivery_id !== null) {
    return { ...common, kind, deliveryId: deliveryId(row.delivery_id) };
  }
  if (kind === 'deliver' || row.task_id === null || pool === null || weight === null || enter === null) {
    throw new Error('an outbox row lacks a column that its kind requires');
  }
  const afterCompletion = row.after_completion;
  return {
    ...common,
    kind,
    taskId: taskId(row.task_id),
    pool,
    weight,
    enter,
    afterCompletion,
    endedRun: row.ended_run,
  };
}
