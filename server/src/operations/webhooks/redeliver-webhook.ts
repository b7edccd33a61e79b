import type { Database } from '../../db/database.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { WebhookDelivery } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { newDelivery, startDeliveries } from '../events/record-event.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { findOwnDelivery } from './read-webhook-delivery.ts';
import { refuseManyPending } from './refuse-many-pending.ts';

/** Sends an event to its receiver again, as a new delivery of the same event: its webhook-id stays the same. */
export async function redeliverWebhook(
  dependencies: WorkflowParts,
  owner: ProjectMode,
  id: string,
): Promise<WebhookDelivery> {
  const { db, workflows, clock } = dependencies;
  const original = await findOwnDelivery(dependencies, owner, id);
  await requireReceiver(db, original);
  await refuseManyPending(db, owner);
  const now = clock.now();
  const event = { ...original, id: original.eventId, type: original.eventType, createdAt: original.eventCreatedAt };
  const delivery = newDelivery(event, original.endpointId, now);
  workflows.startSoon(await db.transaction((tables) => startDeliveries(tables, [delivery])));
  return delivery;
}

async function requireReceiver(db: Database, { endpointId, taskId }: WebhookDelivery): Promise<void> {
  if (endpointId !== null) {
    const endpoint = await db.webhookEndpoints.findSealed(endpointId);
    if (!endpoint) throw new AppError('webhook_endpoint_disabled', { message: 'The webhook endpoint was deleted.' });
    if (endpoint.disabledAt !== null) throw new AppError('webhook_endpoint_disabled');
    return;
  }
  const task = taskId === null ? null : await db.tasks.find(taskId);
  if (!task || task.callbackUrl === null || task.counters.areCallbacksEnded) {
    throw new AppError('webhook_endpoint_disabled', {
      message: 'The callback URL of this task responded with 410, so nothing more is sent to it.',
    });
  }
}
