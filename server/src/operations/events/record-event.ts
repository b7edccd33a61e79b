import type { Tables } from '../../db/database.ts';
import type { CountedTask } from '../../db/tasks/task-row.ts';
import type { EventType, TaskEvent } from '../../domain/event.ts';
import { newId } from '../../domain/id.ts';
import type { WebhookDelivery } from '../../domain/webhook.ts';
import { type DeliveryStart, relayDelayMilliseconds } from '../queue/workflow-client.ts';

/**
 * Writes an event and, in the same transaction, its deliveries to the endpoints that want it and the task's callback,
 * so receivers hear of it if and only if it happened. The caller starts the workflows after the commit.
 */
export async function recordEvent(
  tables: Tables,
  type: EventType,
  task: CountedTask,
  at: Date,
): Promise<DeliveryStart[]> {
  const event = await tables.events.add(type, task, at);
  const places: (string | null)[] = await tables.webhookEndpoints.idsWanting(task, type);
  if (wantsCallback(task, type)) places.push(null);
  return startDeliveries(
    tables,
    places.map((endpointId) => newDelivery(event, endpointId, at)),
  );
}

/** Writes deliveries and the outbox rows that start their workflows. */
export async function startDeliveries(
  tables: Tables,
  deliveries: readonly WebhookDelivery[],
): Promise<DeliveryStart[]> {
  if (deliveries.length === 0) return [];
  await tables.webhookDeliveries.insert(deliveries);
  return tables.outbox.add(
    deliveries.map(({ id, projectId }) => ({ kind: 'deliver' as const, deliveryId: id, projectId })),
    relayDelayMilliseconds,
  );
}

/** Returns a delivery that has not been tried yet. */
export function newDelivery(
  event: Pick<TaskEvent, 'id' | 'projectId' | 'livemode' | 'createdAt'> & {
    type: WebhookDelivery['eventType'];
    taskId: string | null;
    attempt: number | null;
  },
  endpointId: string | null,
  at: Date,
): WebhookDelivery {
  return {
    id: newId('del', at, event.projectId),
    projectId: event.projectId,
    livemode: event.livemode,
    eventId: event.id,
    eventType: event.type,
    eventCreatedAt: event.createdAt,
    taskId: event.taskId,
    attempt: event.attempt,
    endpointId,
    status: 'pending',
    deadReason: null,
    tries: 0,
    nextTryAt: at,
    createdAt: at,
    completedAt: null,
  };
}

function wantsCallback({ callbackUrl, callbackEvents, counters }: CountedTask, type: EventType): boolean {
  if (callbackUrl === null || counters.areCallbacksEnded) return false;
  return callbackEvents === null || callbackEvents.includes(type);
}
