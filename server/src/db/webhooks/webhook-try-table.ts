import type { Kysely } from 'kysely';
import type { WebhookTry } from '../../domain/webhook.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** Every try at every delivery. */
export function webhookTryTable(db: Kysely<Schema>) {
  return {
    async insert(deliveryId: string, made: WebhookTry): Promise<void> {
      await db
        .insertInto('webhook_tries')
        .values({
          delivery_id: toUuid('del', deliveryId),
          try: made.number,
          started_at: made.startedAt,
          duration_milliseconds: made.durationMilliseconds,
          status: made.status,
          reason: made.reason,
          answer: made.answer,
        })
        .execute();
    },

    /** Returns the tries at a delivery, first to last. */
    async of(deliveryId: string): Promise<WebhookTry[]> {
      const rows = await db
        .selectFrom('webhook_tries')
        .selectAll()
        .where('delivery_id', '=', toUuid('del', deliveryId))
        .orderBy('try')
        .execute();
      return rows.map((row) => ({
        number: row.try,
        startedAt: row.started_at,
        durationMilliseconds: row.duration_milliseconds,
        status: row.status,
        reason: row.reason,
        answer: row.answer,
      }));
    },
  };
}
