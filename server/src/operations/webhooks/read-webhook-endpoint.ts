import type { Database } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ListPage } from '../../domain/list-page.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { badCursor } from '../bad-cursor.ts';

interface Dependencies {
  db: Pick<Database, 'webhookEndpoints'>;
}

/** Returns an endpoint of the caller. A foreign, malformed or unknown id is the same "not found". */
export async function readWebhookEndpoint(
  { db }: Dependencies,
  owner: ProjectMode,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = uuidFromId('whk', id) === null ? null : await db.webhookEndpoints.find(owner, id);
  return endpoint ?? noSuchEndpoint();
}

/** Returns one page of the caller's endpoints. */
export async function listWebhookEndpoints(
  { db }: Dependencies,
  owner: ProjectMode,
  query: ListPage,
): Promise<{ endpoints: WebhookEndpoint[]; hasMore: boolean }> {
  const { after, limit } = query;
  if (after !== null && uuidFromId('whk', after) === null) throw badCursor('a webhook endpoint');
  // One row beyond the limit shows whether there are more.
  const endpoints = await db.webhookEndpoints.page(owner, { ...query, limit: limit + 1 });
  return { endpoints: endpoints.slice(0, limit), hasMore: endpoints.length > limit };
}

export function noSuchEndpoint(): never {
  throw new AppError('not_found', { message: 'There is no webhook endpoint with this id.' });
}
