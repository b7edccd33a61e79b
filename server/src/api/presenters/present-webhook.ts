import type { WebhookDelivery, WebhookEndpoint, WebhookTry } from '../../domain/webhook.ts';
import { unixSeconds } from '../../http/unix-seconds.ts';
import type { CallbackSecret } from '../../operations/webhooks/callback-secret.ts';
import type { PublicWebhookDelivery, PublicWebhookTry } from '../schemas/webhook-delivery-schema.ts';
import type { PublicCallbackSecret, PublicWebhookEndpoint } from '../schemas/webhook-endpoint-schema.ts';

/** Returns an endpoint as callers see it, without its secret. */
export function presentWebhookEndpoint(endpoint: WebhookEndpoint): PublicWebhookEndpoint {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    description: endpoint.description,
    events: [...endpoint.events],
    livemode: endpoint.livemode,
    status: endpoint.disabledAt === null ? 'enabled' : 'disabled',
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince && unixSeconds(endpoint.failingSince),
    created_at: unixSeconds(endpoint.createdAt),
  };
}

export function presentCallbackSecret(
  { secret, createdAt, previousExpiresAt }: CallbackSecret,
  livemode: boolean,
): PublicCallbackSecret {
  return {
    object: 'callback_secret',
    livemode,
    secret,
    previous_expires_at: previousExpiresAt && unixSeconds(previousExpiresAt),
    created_at: unixSeconds(createdAt),
  };
}

export function presentWebhookDelivery(delivery: WebhookDelivery): PublicWebhookDelivery {
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    task_id: delivery.taskId,
    livemode: delivery.livemode,
    status: delivery.status,
    dead_reason: delivery.deadReason,
    try_count: delivery.tries,
    next_try_at: delivery.nextTryAt && unixSeconds(delivery.nextTryAt),
    created_at: unixSeconds(delivery.createdAt),
    completed_at: delivery.completedAt && unixSeconds(delivery.completedAt),
  };
}

export function presentWebhookTry(made: WebhookTry): PublicWebhookTry {
  return {
    number: made.number,
    at: unixSeconds(made.startedAt),
    duration_ms: made.durationMilliseconds,
    status: made.status,
    reason: made.reason,
    answer: made.answer,
  };
}

/** Returns the body of a test event, which has no data of a task. */
export function presentTestEvent({ eventId, eventType, eventCreatedAt, endpointId, livemode }: WebhookDelivery) {
  return {
    id: eventId,
    type: eventType,
    created_at: unixSeconds(eventCreatedAt),
    data: { object: 'webhook_test', endpoint_id: endpointId, livemode },
  };
}
