import { bodyOrThrow, createApiClient } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import type {
  IssuedWebhookEndpoint,
  TriedWebhookDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from '../../sdk/src/generated/types.ts';
import type { Delivery } from './observations.ts';

/** Returns a client of the routes that the proof uses, with the project's test key. */
export function createWebhookClient({ url, testKey }: Installation) {
  // A busy machine may respond with 503, and twelve requests at once may exceed the rate limit.
  const api = createApiClient({ url, key: testKey, patientWith: [429, 503] });
  const get = async <Body>(path: string): Promise<Body> => bodyOrThrow(await api.get<Body>(path));
  const post = async <Body>(path: string, body?: unknown): Promise<Body> =>
    bodyOrThrow(await api.post<Body>(path, body));
  /** Creates a task that never runs. */
  const newTask = async (number: number, callbackUrl: string | null): Promise<string> => {
    const task = { prompt: `A hill at dusk, number ${number}`, resolution: '480p', duration: 1 };
    const callback = callbackUrl === null ? {} : { callback_url: callbackUrl, callback_events: ['video.cancelled'] };
    return (await api.create({ ...task, ...callback })).task_id;
  };
  return {
    newEndpoint: (receiver: string) =>
      post<IssuedWebhookEndpoint>('/v1/webhook-endpoints', { url: receiver, events: ['video.failed'] }),
    readEndpoint: (id: string) => get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`),
    deleteEndpoint: async (id: string) => {
      const { ok } = await api.fetch(`/v1/webhook-endpoints/${id}`, { method: 'DELETE' });
      if (!ok) throw new Error(`${id} could not be deleted`);
    },
    callbackSecret: async () => (await get<{ secret: string }>('/v1/webhook-endpoints/callback-secret')).secret,
    /** Subscribes an endpoint to the events of cancelled tasks, or to events that never happen here. */
    subscribe: async (endpointId: string, isSubscribed: boolean) => {
      const { ok } = await api.fetch(`/v1/webhook-endpoints/${endpointId}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ events: [isSubscribed ? 'video.cancelled' : 'video.failed'] }),
      });
      if (!ok) throw new Error(`the events of ${endpointId} could not be changed`);
    },
    redeliver: (deliveryId: string) => post<WebhookDelivery>(`/v1/webhook-deliveries/${deliveryId}/redeliver`),
    newTask,
    cancel: (taskId: string) => api.cancel(taskId),
    /** Creates a task that never runs and cancels it, which makes one event. Returns when it began to cancel it. */
    async cancelledTask(number: number, callbackUrl: string | null): Promise<{ taskId: string; at: number }> {
      const taskId = await newTask(number, callbackUrl);
      const at = performance.now();
      await api.cancel(taskId);
      return { taskId, at };
    },
    hasPending: async () =>
      (await get<{ data: WebhookDelivery[] }>('/v1/webhook-deliveries?status=pending&limit=1')).data.length > 0,
    /** Returns all deliveries; dead ones, and every tenth of all, with the numbers of their tries. */
    async deliveries(placeOf: (endpointId: string | null) => string): Promise<Delivery[]> {
      const all = await api.all<WebhookDelivery>('/v1/webhook-deliveries?order=asc');
      const found: Delivery[] = [];
      for (const [index, delivery] of all.entries()) {
        const isRead = delivery.status === 'dead' || index % 10 === 0;
        const { tries = null } = isRead ? await get<TriedWebhookDelivery>(`/v1/webhook-deliveries/${delivery.id}`) : {};
        found.push({
          id: delivery.id,
          place: placeOf(delivery.endpoint_id),
          eventId: delivery.event_id,
          status: delivery.status,
          deadReason: delivery.dead_reason,
          tryCount: delivery.try_count,
          tries: tries?.map(({ number }) => number) ?? null,
        });
      }
      return found;
    },
  };
}

export type WebhookClient = ReturnType<typeof createWebhookClient>;
