import type { Caller } from '../domain/caller.ts';
import type { WebhookDelivery, WebhookTry } from '../domain/webhook.ts';
import type { readCallbackSecret, rotateCallbackSecret } from '../operations/webhooks/callback-secret.ts';
import type { changeWebhookEndpoint } from '../operations/webhooks/change-webhook-endpoint.ts';
import type { createWebhookEndpoint } from '../operations/webhooks/create-webhook-endpoint.ts';
import type { listWebhookDeliveries } from '../operations/webhooks/read-webhook-delivery.ts';
import type { listWebhookEndpoints, readWebhookEndpoint } from '../operations/webhooks/read-webhook-endpoint.ts';
import type { redeliverWebhook } from '../operations/webhooks/redeliver-webhook.ts';
import type { rotateWebhookSecret } from '../operations/webhooks/rotate-webhook-secret.ts';
import type { sendWebhookTest } from '../operations/webhooks/send-webhook-test.ts';
import type { Wired } from './wired.ts';

/** The webhook operations that the API needs, each within the caller's project and mode. */
export interface ApiWebhooks {
  listEndpoints: Wired<typeof listWebhookEndpoints>;
  createEndpoint: Wired<typeof createWebhookEndpoint>;
  readEndpoint: Wired<typeof readWebhookEndpoint>;
  changeEndpoint: Wired<typeof changeWebhookEndpoint>;
  deleteEndpoint(caller: Caller, id: string): Promise<void>;
  rotateSecret: Wired<typeof rotateWebhookSecret>;
  sendTest: Wired<typeof sendWebhookTest>;
  callbackSecret: Wired<typeof readCallbackSecret>;
  rotateCallbackSecret: Wired<typeof rotateCallbackSecret>;
  listDeliveries: Wired<typeof listWebhookDeliveries>;
  /** The body is what a try now would send; null if the task is gone. */
  readDelivery(
    caller: Caller,
    id: string,
  ): Promise<{ delivery: WebhookDelivery; tries: WebhookTry[]; body: object | null }>;
  redeliver: Wired<typeof redeliverWebhook>;
}
