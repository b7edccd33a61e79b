import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EventType } from '../../domain/event.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { found } from './read-webhook-endpoint.ts';

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
  owner: ProjectMode,
  id: string,
  patch: EndpointPatch,
): Promise<WebhookEndpoint> {
  if (uuidFromId('whk', id) === null) throw new AppError('not_found');
  return db.transaction(async ({ webhookEndpoints }) => {
    const { sealed: _, ...endpoint } = found(await webhookEndpoints.lock(owner, id));
    const { status, ...changes } = patch;
    const isDisabled = endpoint.disabledAt !== null;
    // Disabling a disabled endpoint keeps its time and reason; enabling an enabled one keeps the record of its
    // failures.
    const disabled =
      status === undefined || (status === 'disabled') === isDisabled
        ? undefined
        : status === 'enabled'
          ? null
          : { at: clock.now(), reason: 'by_caller' as const };
    const url = changes.url === endpoint.url ? undefined : changes.url;
    const isChanged = [url, changes.description, changes.events, disabled].some((change) => change !== undefined);
    return isChanged ? webhookEndpoints.update(id, { ...changes, url, disabled }) : endpoint;
  });
}
