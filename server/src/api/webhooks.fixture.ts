import type { WebhookDelivery, WebhookEndpoint } from '../domain/webhook.ts';
import { AppError } from '../errors.ts';
import type { ApiWebhooks } from './api-webhooks.ts';

// For tests of HTTP only, like app.fixture.ts.

const at = new Date('2026-11-15T12:00:00Z');
const owner = { projectId: 'proj_1', livemode: true };

export const endpoint: WebhookEndpoint = {
  ...owner,
  id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  url: 'https://hooks.example.com/kinora',
  description: '',
  events: ['video.failed'],
  createdAt: at,
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
};

export const delivery: WebhookDelivery = {
  ...owner,
  id: 'del_01k9zqvb2he8rb6t7y2m5n0p1q',
  eventId: 'evt_01k9zqv9c4e8rb6t7y2m5n0p1q',
  eventType: 'video.failed',
  eventCreatedAt: at,
  taskId: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  attempt: 1,
  endpointId: endpoint.id,
  status: 'delivered',
  deadReason: null,
  tries: 1,
  nextTryAt: null,
  createdAt: at,
  completedAt: at,
};

const made = { number: 1, startedAt: at, durationMilliseconds: 12, status: 204, reason: null, answer: '' };

function known<T extends { id: string }>(thing: T, id: string): T {
  if (id !== thing.id) throw new AppError('not_found');
  return thing;
}

export const webhooks: ApiWebhooks = {
  listEndpoints: async () => ({ endpoints: [endpoint], hasMore: false }),
  createEndpoint: async (_, given) => ({ endpoint: { ...endpoint, ...given }, secret: 'whsec_c2VjcmV0' }),
  readEndpoint: async (_, id) => known(endpoint, id),
  changeEndpoint: async (_, id, { url = endpoint.url, description = '', events = endpoint.events }) => ({
    ...known(endpoint, id),
    url,
    description,
    events,
  }),
  deleteEndpoint: async (_, id) => void known(endpoint, id),
  rotateSecret: async (_, id) => ({ endpoint: known(endpoint, id), secret: 'whsec_bmV3' }),
  sendTest: async (_, id) => ({ ...delivery, endpointId: known(endpoint, id).id, taskId: null, attempt: null }),
  callbackSecret: async () => ({ secret: 'whsec_c2VjcmV0', createdAt: at, previousExpiresAt: null }),
  rotateCallbackSecret: async () => ({ secret: 'whsec_bmV3', createdAt: at, previousExpiresAt: at }),
  listDeliveries: async (_, { filter }) => ({
    deliveries: filter.status === undefined || filter.status === 'delivered' ? [delivery] : [],
    hasMore: false,
  }),
  readDelivery: async (_, id) => ({
    delivery: known(delivery, id),
    tries: [made],
    body: { id: delivery.eventId, data: {} },
  }),
  redeliver: async (_, id) => known(delivery, id),
};
