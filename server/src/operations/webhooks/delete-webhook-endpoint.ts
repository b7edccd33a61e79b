import type { Database } from '../../db/database.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { noSuchEndpoint } from './read-webhook-endpoint.ts';

/**
 * Deletes an endpoint with its secret. Its pending deliveries end, and all its deliveries can still be read. Can be
 * repeated as long as the audit log says that the endpoint was deleted.
 */
export async function deleteWebhookEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  actor: Actor,
  owner: ProjectMode,
  id: string,
): Promise<void> {
  if (uuidFromId('whk', id) === null) noSuchEndpoint();
  const action = 'webhook_endpoint.deleted';
  await db.transaction(async (tables) => {
    const now = clock.now();
    if (await tables.webhookEndpoints.find(owner, id)) {
      // Deliveries come before the endpoint, in the order in which noteWebhookTry locks them.
      await tables.webhookDeliveries.endAllTo(owner, id, 'endpoint_deleted', now);
      if (await tables.webhookEndpoints.delete(owner, id))
        return recordAuditEvent(tables, actor, { action, objectId: id, of: owner }, now);
    }
    if (!(await tables.auditEvents.hasDeletion(owner, action, id))) noSuchEndpoint();
  });
}
