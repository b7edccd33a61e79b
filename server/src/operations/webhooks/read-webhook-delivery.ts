import type { Database } from '../../db/database.ts';
import type { DeliveryFilter } from '../../db/webhooks/webhook-delivery-table.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ListPage } from '../../domain/list-page.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { TaskView } from '../../domain/task-view.ts';
import type { WebhookDelivery, WebhookTry } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { badCursor } from '../bad-cursor.ts';

interface Dependencies {
  db: Pick<Database, 'webhookDeliveries' | 'webhookTries'>;
}

/** A delivery with its tries and its task, if any, for the body. A foreign, malformed or unknown id is "not found". */
export async function readWebhookDelivery(
  { db }: Dependencies & { db: Pick<Database, 'taskViews'> },
  owner: ProjectMode,
  id: string,
): Promise<{ delivery: WebhookDelivery; tries: WebhookTry[]; view: TaskView | null }> {
  const delivery = await findOwnDelivery({ db }, owner, id);
  const [tries, [view = null]] = await Promise.all([
    db.webhookTries.of(id),
    db.taskViews.findMany(delivery.taskId === null ? [] : [delivery.taskId]),
  ]);
  return { delivery, tries, view };
}

export async function findOwnDelivery({ db }: Dependencies, owner: ProjectMode, id: string): Promise<WebhookDelivery> {
  const delivery = uuidFromId('del', id) === null ? null : await db.webhookDeliveries.find(id);
  const isOwn = delivery?.projectId === owner.projectId && delivery.livemode === owner.livemode;
  if (!isOwn)
    throw new AppError('not_found', {
      message: 'There is no webhook delivery with this id. Deliveries are kept as long as their tasks.',
    });
  return delivery;
}

/** Returns one page of the caller's deliveries. A filter by a malformed id finds nothing. */
export async function listWebhookDeliveries(
  { db }: Dependencies,
  owner: ProjectMode,
  { filter, ...query }: ListPage & { filter: DeliveryFilter },
): Promise<{ deliveries: WebhookDelivery[]; hasMore: boolean }> {
  const { after, limit } = query;
  if (after !== null && uuidFromId('del', after) === null) throw badCursor('a webhook delivery');
  const { endpointId, taskId } = filter;
  const isFindable =
    (endpointId === undefined || uuidFromId('whk', endpointId) !== null) &&
    (taskId === undefined || uuidFromId('task', taskId) !== null);
  if (!isFindable) return { deliveries: [], hasMore: false };
  // One row beyond the limit shows whether there are more.
  const deliveries = await db.webhookDeliveries.page({ ...query, owner, filter, limit: limit + 1 });
  return { deliveries: deliveries.slice(0, limit), hasMore: deliveries.length > limit };
}
