import type { TriedWebhookDelivery, WebhookDelivery, WebhookEndpoint } from '@kinora/sdk';

type Try = TriedWebhookDelivery['tries'][number];
type Tone = 'quiet' | 'live' | 'done' | 'failed';

/** Returns the colour and the word for the state of a delivery. */
export function statusOf({ status, try_count }: Pick<WebhookDelivery, 'status' | 'try_count'>): [Tone, string] {
  if (status === 'delivered') return ['done', 'Delivered'];
  if (status === 'dead') return ['failed', 'Given up'];
  return try_count === 0 ? ['live', 'Sending'] : ['live', 'Retrying'];
}

const deadReasons: Record<string, string> = {
  tries_used_up: 'Every try failed.',
  gone: 'The receiver responded with 410: it no longer wants events.',
  endpoint_disabled: 'The endpoint was disabled.',
  endpoint_deleted: 'The endpoint was deleted.',
  callbacks_ended: 'The receiver responded with 410, which ended the callbacks of this task.',
  secret_unreadable: 'Kinora could not sign the event. Rotate the secret, or ask the operator.',
  task_gone: 'The task no longer exists.',
  lost: 'An internal error of Kinora.',
};

/** Returns why a delivery was given up; null if it was not. */
export function deadReason({ dead_reason: reason }: Pick<WebhookDelivery, 'dead_reason'>): string | null {
  return reason === null ? null : (deadReasons[reason] ?? reason);
}

const disabledReasons: Record<string, string> = {
  gone: 'It responded with 410.',
  failing: 'All tries of a delivery failed.',
  by_caller: 'You or a program disabled it.',
};

/** Returns why an endpoint is disabled; null if it is not. */
export function disabledReason({ disabled_reason: reason }: Pick<WebhookEndpoint, 'disabled_reason'>): string | null {
  return reason === null ? null : (disabledReasons[reason] ?? reason);
}

const reasons: Record<string, string> = {
  timeout: 'No response in time',
  forbidden_address: 'The address is not public',
};

/** Returns what came of a try. */
export function outcomeOf({ status, reason }: Pick<Try, 'status' | 'reason'>): { isSuccess: boolean; text: string } {
  if (status !== null) return { isSuccess: status >= 200 && status < 300, text: `Responded with ${status}` };
  return { isSuccess: false, text: reason === null ? 'No response' : (reasons[reason] ?? reason.replaceAll('_', ' ')) };
}
