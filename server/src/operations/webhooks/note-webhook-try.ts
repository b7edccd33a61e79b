import type { Database, Tables } from '../../db/database.ts';
import type { DeliveryOutcome } from '../../db/webhooks/webhook-delivery-table.ts';
import type { Clock } from '../../domain/clock.ts';
import { testEventType, type WebhookDelivery, type WebhookTry } from '../../domain/webhook.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  /** Returns the delay after this many tries, given the receiver's Retry-After; null if there are no more tries. */
  nextDelaySeconds: (tries: number, retryAfterSeconds: number | null) => number | null;
}

export type MadeTry = Omit<WebhookTry, 'number'> & { retryAfterSeconds: number | null };

/** The reason of a try that was not sent, because the secret that signs it cannot be decrypted. */
export const secretUnreadable = 'secret_unreadable';

/**
 * Records a try and its consequences in one transaction: the state of the delivery, the failures of its endpoint, and
 * whether the receiver wants no more. Returns null if that try was recorded before, or if the delivery has ended since.
 */
export async function noteWebhookTry(
  { db, clock, nextDelaySeconds }: Dependencies,
  delivery: WebhookDelivery,
  { retryAfterSeconds, ...made }: MadeTry,
): Promise<DeliveryOutcome | null> {
  const now = clock.now();
  const number = delivery.tries + 1;
  // The sender of a test that failed reads the outcome and sends another one.
  const isTest = delivery.eventType === testEventType;
  const outcome = outcomeOf(made, isTest ? null : nextDelaySeconds(number, retryAfterSeconds), now);
  return db.transaction(async (tables) => {
    if (!(await tables.webhookDeliveries.noteTry(delivery.id, number, outcome, now))) return null;
    await tables.webhookTries.insert(delivery.id, { ...made, number });
    // The receiver is not to blame for a try that was not sent.
    if (made.reason === secretUnreadable) return outcome;
    if (delivery.endpointId !== null) await judgeEndpoint(tables, delivery, delivery.endpointId, made, outcome, now);
    else if (made.status === 410 && delivery.taskId !== null) await tables.tasks.endCallbacks(delivery.taskId, now);
    return outcome;
  });
}

/** Only 2xx is a success; 410 ends the delivery for good. */
function outcomeOf(
  { status, reason }: Pick<MadeTry, 'status' | 'reason'>,
  delaySeconds: number | null,
  now: Date,
): DeliveryOutcome {
  if (status !== null && status >= 200 && status < 300) return { status: 'delivered' };
  if (status === 410) return { status: 'dead', reason: 'gone' };
  if (delaySeconds === null)
    return { status: 'dead', reason: reason === secretUnreadable ? secretUnreadable : 'tries_used_up' };
  return { status: 'pending', nextTryAt: new Date(now.getTime() + delaySeconds * 1000) };
}

/**
 * Disables an endpoint after a 410, or if a delivery used up its tries and no other one reached it either. A failed test
 * does not disable it: its only try may have met a receiver that was not ready yet.
 */
async function judgeEndpoint(
  tables: Tables,
  { id, eventType }: WebhookDelivery,
  endpointId: string,
  { startedAt }: Pick<WebhookTry, 'startedAt'>,
  outcome: DeliveryOutcome,
  now: Date,
): Promise<void> {
  const { webhookEndpoints, webhookTries } = tables;
  if (outcome.status === 'delivered') return webhookEndpoints.noteSuccess(endpointId);
  await webhookEndpoints.noteFailure(endpointId, startedAt);
  if (outcome.status === 'pending') return;
  if (outcome.reason === 'gone') await webhookEndpoints.disable(endpointId, 'gone', now);
  else if (eventType !== testEventType) {
    const [first] = await webhookTries.of(id);
    await webhookEndpoints.disable(endpointId, 'failing', now, first?.startedAt ?? startedAt);
  }
}
