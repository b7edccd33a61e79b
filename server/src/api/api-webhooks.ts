import type { DeliveryFilter } from '../db/webhook-deliveries.ts';
import type { Caller } from '../domain/caller.ts';
import type { WebhookDelivery, WebhookEndpoint, WebhookTry } from '../domain/webhook.ts';
import type { CallbackSecret } from '../operations/webhooks/callback-secret.ts';
import type { EndpointPatch } from '../operations/webhooks/change-webhook-endpoint.ts';
import type { NewEndpoint } from '../operations/webhooks/create-webhook-endpoint.ts';
import type { PageQuery } from '../operations/webhooks/read-webhook-endpoint.ts';

interface IssuedEndpoint {
  endpoint: WebhookEndpoint;
  secret: string;
}

/** The webhook operations that the API needs, each within the caller's project and mode. */
export interface ApiWebhooks {
  listEndpoints(caller: Caller, page: PageQuery): Promise<{ endpoints: WebhookEndpoint[]; hasMore: boolean }>;
  createEndpoint(caller: Caller, endpoint: NewEndpoint): Promise<IssuedEndpoint>;
  readEndpoint(caller: Caller, id: string): Promise<WebhookEndpoint>;
  changeEndpoint(caller: Caller, id: string, patch: EndpointPatch): Promise<WebhookEndpoint>;
  deleteEndpoint(caller: Caller, id: string): Promise<void>;
  rotateSecret(caller: Caller, id: string, overlapSeconds: number): Promise<IssuedEndpoint>;
  sendTest(caller: Caller, id: string): Promise<WebhookDelivery>;
  callbackSecret(caller: Caller): Promise<CallbackSecret>;
  rotateCallbackSecret(caller: Caller, overlapSeconds: number): Promise<CallbackSecret>;
  listDeliveries(
    caller: Caller,
    query: PageQuery & { filter: DeliveryFilter },
  ): Promise<{ deliveries: WebhookDelivery[]; hasMore: boolean }>;
  /** The body is what a try now would send; null if the task is gone. */
  readDelivery(
    caller: Caller,
    id: string,
  ): Promise<{ delivery: WebhookDelivery; tries: WebhookTry[]; body: object | null }>;
  redeliver(caller: Caller, id: string): Promise<WebhookDelivery>;
}
