import type { Database } from '../../db/database.ts';
import type { KeyHolder } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EventType } from '../../domain/event.ts';
import { newId } from '../../domain/id.ts';
import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { sha256Of } from '../audit/sha256-of.ts';
import { makeSecret, rowOfEndpoint, type SecretTools } from './webhook-secrets.ts';

interface Dependencies extends SecretTools {
  db: Database;
  clock: Clock;
}

export interface NewEndpoint {
  url: string;
  description: string;
  events: readonly EventType[];
}

/** Limited because every event costs one delivery per endpoint that wants it. */
export const endpointsAtMost = 20;

/** Creates an endpoint. Its secret is shown now and never again. */
export async function createWebhookEndpoint(
  dependencies: Dependencies,
  owner: KeyHolder,
  { url, description, events }: NewEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const { db, clock } = dependencies;
  const now = clock.now();
  const endpoint: WebhookEndpoint = {
    id: newId('whk', now, owner.projectId),
    projectId: owner.projectId,
    livemode: owner.livemode,
    url,
    description,
    events,
    createdAt: now,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
  };
  const { secret, sealed } = makeSecret(dependencies, rowOfEndpoint(endpoint.id));
  const isMade = await db.transaction(async (tables) => {
    const isInserted = await tables.webhookEndpoints.insert(endpoint, sealed, endpointsAtMost);
    const detail = { url_sha256: sha256Of(url), events };
    const event = { action: 'webhook_endpoint.created', objectId: endpoint.id, detail } as const;
    if (isInserted) await recordAuditEvent(tables, owner, event, now);
    return isInserted;
  });
  if (!isMade) {
    throw new AppError('too_many_webhook_endpoints', {
      message: `Webhook endpoint limit reached (${endpointsAtMost}). Delete one first.`,
    });
  }
  return { endpoint, secret };
}
