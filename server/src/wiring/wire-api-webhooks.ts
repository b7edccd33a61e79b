import type { ApiWebhooks } from '../api/api-webhooks.ts';
import { readCallbackSecret, rotateCallbackSecret } from '../operations/webhooks/callback-secret.ts';
import { changeWebhookEndpoint } from '../operations/webhooks/change-webhook-endpoint.ts';
import { createWebhookEndpoint } from '../operations/webhooks/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from '../operations/webhooks/delete-webhook-endpoint.ts';
import { listWebhookDeliveries, readWebhookDelivery } from '../operations/webhooks/read-webhook-delivery.ts';
import { listWebhookEndpoints, readWebhookEndpoint } from '../operations/webhooks/read-webhook-endpoint.ts';
import { redeliverWebhook } from '../operations/webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../operations/webhooks/rotate-webhook-secret.ts';
import { sendWebhookTest } from '../operations/webhooks/send-webhook-test.ts';
import type { Foundation } from './foundation.ts';
import { wireDeliveryBody, wireSecretTools } from './wire-webhooks.ts';

/** Wires what the API can do with webhooks. */
export function wireApiWebhooks(foundation: Foundation): ApiWebhooks {
  const { db, clock, workflows } = foundation;
  const parts = { db, clock, workflows, ...wireSecretTools(foundation.config) };
  const bodyOf = wireDeliveryBody(foundation);
  return {
    listEndpoints: (caller, page) => listWebhookEndpoints(parts, caller, page),
    createEndpoint: (caller, endpoint) => createWebhookEndpoint(parts, caller, endpoint),
    readEndpoint: (caller, id) => readWebhookEndpoint(parts, caller, id),
    changeEndpoint: (caller, id, patch) => changeWebhookEndpoint(parts, caller, id, patch),
    deleteEndpoint: (caller, id) => deleteWebhookEndpoint(parts, caller, caller, id),
    rotateSecret: (caller, id, seconds) => rotateWebhookSecret(parts, caller, id, seconds),
    sendTest: (caller, id) => sendWebhookTest(parts, caller, id),
    callbackSecret: (caller) => readCallbackSecret(parts, caller),
    rotateCallbackSecret: (caller, seconds) => rotateCallbackSecret(parts, caller, seconds),
    listDeliveries: (caller, query) => listWebhookDeliveries(parts, caller, query),
    readDelivery: async (caller, id) => {
      const { delivery, tries, view } = await readWebhookDelivery(parts, caller, id);
      const isTaskGone = delivery.taskId !== null && view === null;
      return { delivery, tries, body: isTaskGone ? null : await bodyOf(delivery, view) };
    },
    redeliver: (caller, id) => redeliverWebhook(parts, caller, id),
  };
}
