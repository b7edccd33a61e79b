import { newId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { testEventType, type WebhookDelivery } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { newDelivery, startDeliveries } from '../events/record-event.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { readWebhookEndpoint } from './read-webhook-endpoint.ts';
import { refuseManyPending } from './refuse-many-pending.ts';

/** Sends an endpoint a test event without content, by the same route as all events. It is tried once. */
export async function sendWebhookTest(
  dependencies: WorkflowParts,
  owner: ProjectMode,
  endpointId: string,
): Promise<WebhookDelivery> {
  const { db, workflows, clock } = dependencies;
  const endpoint = await readWebhookEndpoint(dependencies, owner, endpointId);
  if (endpoint.disabledAt !== null) throw new AppError('webhook_endpoint_disabled');
  await refuseManyPending(db, owner);
  const now = clock.now();
  const event = {
    id: newId('evt', now, endpoint.projectId),
    type: testEventType,
    taskId: null,
    projectId: endpoint.projectId,
    livemode: endpoint.livemode,
    attempt: null,
    createdAt: now,
  } as const;
  const delivery = newDelivery(event, endpoint.id, now);
  workflows.startSoon(await db.transaction((tables) => startDeliveries(tables, [delivery])));
  return delivery;
}
