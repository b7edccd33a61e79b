import { type Kysely, type Selectable, sql } from 'kysely';
import { projectId, taskId, toUuid } from './ids.ts';
import type { OutboxRow, Schema } from './schema.ts';

export interface OutboxMessage {
  outboxId: string;
  kind: 'start' | 'cancel';
  taskId: string;
  projectId: string;
  pool: string;
  weight: number;
  enter: 'generate' | 'follow';
  tries: number;
}

export type NewOutboxMessage = Omit<OutboxMessage, 'outboxId' | 'tries'>;

export function outboxTable(db: Kysely<Schema>) {
  return {
    /** Writes what has to be said to Temporal. It is due for the relay at `dueAt`: until then its author may say it. */
    async add(messages: readonly NewOutboxMessage[], at: Date, dueAt: Date): Promise<OutboxMessage[]> {
      if (messages.length === 0) return [];
      const rows = await db
        .insertInto('outbox')
        .values(
          messages.map((message) => ({
            kind: message.kind,
            task_id: toUuid('task', message.taskId),
            project_id: toUuid('proj', message.projectId),
            pool: message.pool,
            weight: message.weight,
            enter: message.enter,
            created_at: at,
            due_at: dueAt,
          })),
        )
        .returningAll()
        .execute();
      return rows.map(toMessage);
    },

    /** Locks messages that are due, passing over those another relay works on. */
    async takeDue(at: Date, limit: number): Promise<OutboxMessage[]> {
      const rows = await db
        .selectFrom('outbox')
        .selectAll()
        .where('due_at', '<=', at)
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
      await db.deleteFrom('outbox').where('id', 'in', ids).execute();
    },

    async postpone(ids: readonly string[], dueAt: Date): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('outbox')
        .set((row) => ({ due_at: dueAt, tries: row('tries', '+', 1) }))
        .where('id', 'in', ids)
        .execute();
    },

    /** Seconds since the oldest message was written; 0 when there is none. */
    async oldestAgeSeconds(): Promise<number> {
      const result = await sql<{ age: number | null }>`
        select extract(epoch from now() - created_at)::float8 as age from outbox order by id limit 1`.execute(db);
      return result.rows[0]?.age ?? 0;
    },
  };
}

function toMessage(row: Selectable<OutboxRow>): OutboxMessage {
  return {
    outboxId: row.id,
    kind: row.kind,
    taskId: taskId(row.task_id),
    projectId: projectId(row.project_id),
    pool: row.pool,
    weight: row.weight,
    enter: row.enter,
    tries: row.tries,
  };
}
