import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { Delivery } from './observations.ts';

interface ApiDelivery {
  id: string;
  endpoint_id: string | null;
  event_id: string;
  status: Delivery['status'];
  dead_reason: string | null;
  try_count: number;
  tries?: { number: number }[];
}

interface Endpoint {
  id: string;
  status: string;
  disabled_reason: string | null;
  secret: string;
}

/** The routes that the proof uses, with the project's test key. */
export function createCaller({ url, testKey }: Installation) {
  const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${testKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: interrupted,
      });
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text) as Body;
      // A busy machine may say 503 now and then, and twelve at once are a burst.
      const isPassing = response.status === 503 || response.status === 429;
      if (!isPassing || tries === 10) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      await pause(100 * tries);
    }
  };
  return {
    newEndpoint: (receiver: string, events: string[]) =>
      ask<Endpoint>('POST', '/v1/webhook-endpoints', { url: receiver, events }),
    readEndpoint: (id: string) => ask<Endpoint>('GET', `/v1/webhook-endpoints/${id}`),
    callbackSecret: async () => (await ask<{ secret: string }>('GET', '/v1/webhook-endpoints/callback-secret')).secret,
    /** Answers the id of the event. */
    sendTest: async (endpointId: string) =>
      (await ask<ApiDelivery>('POST', `/v1/webhook-endpoints/${endpointId}/test`)).event_id,
    redeliver: (deliveryId: string) => ask<ApiDelivery>('POST', `/v1/webhook-deliveries/${deliveryId}/redeliver`),
    /** A task that never runs, cancelled: one event. */
    async cancelledTask(number: number, callbackUrl: string | null): Promise<void> {
      const task = { prompt: `A hill at dusk, number ${number}`, resolution: '480p', duration: 1 };
      const callback = callbackUrl === null ? {} : { callback_url: callbackUrl, callback_events: ['video.cancelled'] };
      const { task_id: taskId } = await ask<{ task_id: string }>('POST', '/v1/videos/text-to-video', {
        ...task,
        ...callback,
      });
      await ask('POST', `/v1/videos/${taskId}/cancel`);
    },
    hasPending: async () =>
      (await ask<{ data: ApiDelivery[] }>('GET', '/v1/webhook-deliveries?status=pending&limit=1')).data.length > 0,
    /** Every delivery there is; of those that are dead, and of every tenth of the others, with the numbers of their tries. */
    async deliveries(placeOf: (endpointId: string | null) => string): Promise<Delivery[]> {
      const all: ApiDelivery[] = [];
      for (let after = ''; ; ) {
        const page = await ask<{ data: ApiDelivery[]; has_more: boolean; last_id: string }>(
          'GET',
          `/v1/webhook-deliveries?limit=100&order=asc${after}`,
        );
        all.push(...page.data);
        if (!page.has_more) break;
        after = `&after=${page.last_id}`;
      }
      const found: Delivery[] = [];
      for (const [index, delivery] of all.entries()) {
        const isRead = delivery.status === 'dead' || index % 10 === 0;
        const { tries = null } = isRead ? await ask<ApiDelivery>('GET', `/v1/webhook-deliveries/${delivery.id}`) : {};
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

export type Caller = ReturnType<typeof createCaller>;
