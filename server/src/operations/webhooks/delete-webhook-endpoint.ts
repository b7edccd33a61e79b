import type { Database } from '../../db/database.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { found, readWebhookEndpoint } from './read-webhook-endpoint.ts';

/** Deletes an endpoint with its secret. Its pending deliveries end, and all its deliveries can still be read. */
export async function deleteWebhookEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  actor: Actor,
  owner: ProjectMode,
  id: string,
): Promise<void> {
  await db.transaction(async (tables) => {
    await readWebhookEndpoint({ db: tables }, owner, id);
    // Deliveries come before the endpoint, in the order in which noteWebhookTry locks them.
    const now = clock.now();
    await tables.webhookDeliveries.endAllTo(id, 'endpoint_deleted', now);
    found((await tables.webhookEndpoints.delete(owner, id)) || null);
    await recordAuditEvent(tables, actor, { action: 'webhook_endpoint.deleted', objectId: id, of: owner }, now);
  });
}
