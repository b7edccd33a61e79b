import type { Database } from '../../db/database.ts';
import type { KeyHolder } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EventType } from '../../domain/event.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { sha256Of } from '../audit/sha256-of.ts';
import { noSuchEndpoint } from './read-webhook-endpoint.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
}

export interface EndpointPatch {
  url?: string | undefined;
  description?: string | undefined;
  events?: readonly EventType[] | undefined;
  status?: 'enabled' | 'disabled' | undefined;
}

/** Changes the given fields and leaves the others. Pending deliveries go to a new URL from their next try on. */
export async function changeWebhookEndpoint(
  { db, clock }: Dependencies,
  owner: KeyHolder,
  id: string,
  patch: EndpointPatch,
): Promise<WebhookEndpoint> {
  if (uuidFromId('whk', id) === null) noSuchEndpoint();
  return db.transaction(async (tables) => {
    const { webhookEndpoints } = tables;
    const { sealed: _, ...endpoint } = (await webhookEndpoints.lock(owner, id)) ?? noSuchEndpoint();
    const { status, ...changes } = patch;
    const now = clock.now();
    const isDisabled = endpoint.disabledAt !== null;
    // A repeated disable keeps time and reason; a repeated enable keeps the record of failures.
    const disabled =
      status === undefined || (status === 'disabled') === isDisabled
        ? undefined
        : status === 'enabled'
          ? null
          : { at: now, reason: 'by_caller' as const };
    const url = changes.url === endpoint.url ? undefined : changes.url;
    const { description, events } = changes;
    const changed = Object.entries({ url, description, events, status: disabled })
      .filter(([, change]) => change !== undefined)
      .map(([name]) => name);
    if (changed.length === 0) return endpoint;
    const hashes = url === undefined ? {} : { old_url_sha256: sha256Of(endpoint.url), new_url_sha256: sha256Of(url) };
    const event = { action: 'webhook_endpoint.changed', objectId: id, detail: { changed, ...hashes } } as const;
    await recordAuditEvent(tables, owner, event, now);
    return webhookEndpoints.update(id, { ...changes, url, disabled });
  });
}
