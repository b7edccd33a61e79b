const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
type DeliveryStatus = (typeof deliveryStatuses)[number];

export const eventTypes = ['video.started', 'video.completed', 'video.failed', 'video.cancelled'] as const;
export type EventType = (typeof eventTypes)[number];

export interface WebhooksSearch {
  status?: DeliveryStatus;
  endpoint?: string;
  event?: EventType | 'webhook.test';
  task?: string;
  /** The delivery that is open above the page. */
  delivery?: string;
}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readWebhooksSearch(search: Record<string, unknown>): WebhooksSearch {
  const { status, endpoint, event, task, delivery } = search;
  return {
    ...(deliveryStatuses.includes(status as DeliveryStatus) ? { status: status as DeliveryStatus } : {}),
    ...(isId(endpoint) ? { endpoint } : {}),
    ...([...eventTypes, 'webhook.test'].includes(event as EventType) ? { event: event as EventType } : {}),
    ...(isId(task) ? { task } : {}),
    ...(isId(delivery) ? { delivery } : {}),
  };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z]+_\w{1,40}$/.test(value);
}
