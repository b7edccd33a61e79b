import type { Database } from '../../db/database.ts';
import type { KeyHolder } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { noSuchEndpoint } from './read-webhook-endpoint.ts';
import { replaceSecret, rowOfEndpoint, type SecretTools } from './webhook-secrets.ts';

interface Dependencies extends SecretTools {
  db: Database;
  clock: Clock;
}

/** Gives an endpoint a new secret, shown now and never again; the previous one signs too until the overlap ends. */
export async function rotateWebhookSecret(
  dependencies: Dependencies,
  owner: KeyHolder,
  id: string,
  overlapSeconds: number,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const { db, clock } = dependencies;
  if (uuidFromId('whk', id) === null) noSuchEndpoint();
  return db.transaction(async (tables) => {
    const { sealed: former, ...endpoint } = (await tables.webhookEndpoints.lock(owner, id)) ?? noSuchEndpoint();
    const now = clock.now();
    const overlap = { seconds: overlapSeconds, from: now };
    const { secret, sealed } = replaceSecret(dependencies, rowOfEndpoint(id), former, overlap);
    await tables.webhookEndpoints.replaceSecrets(id, sealed);
    const detail = { overlap_seconds: overlapSeconds };
    const event = { action: 'webhook_endpoint.secret_rotated', objectId: id, detail } as const;
    await recordAuditEvent(tables, owner, event, now);
    return { endpoint, secret };
  });
}
