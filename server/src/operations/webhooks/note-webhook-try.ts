import type { Database, Tables } from '../../db/database.ts';
import type { DeliveryOutcome } from '../../db/webhook-deliveries.ts';
import type { Clock } from '../../domain/clock.ts';
import type { WebhookDelivery, WebhookTry } from '../../domain/webhook.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  /** How long to wait after so many tries, given what the receiver asked for; null when there are no more. */
  nextDelaySeconds: (tries: number, retryAfterSeconds: number | null) => number | null;
}

export type MadeTry = Omit<WebhookTry, 'number'> & { retryAfterSeconds: number | null };

/**
 * Notes a try and what follows from it in one transaction: how the delivery stands, whether its receiver still works and whether
 * it still wants anything. Null when that try was noted before, or the delivery has ended meanwhile.
 */
export async function noteWebhookTry(
  { db, clock, nextDelaySeconds }: Dependencies,
  delivery: WebhookDelivery,
  { retryAfterSeconds, ...made }: MadeTry,
): Promise<DeliveryOutcome | null> {
  const now = clock.now();
  const number = delivery.tries + 1;
  const outcome = outcomeOf(made.status, nextDelaySeconds(number, retryAfterSeconds), now);
  return db.transaction(async (tables) => {
    if (!(await tables.webhookDeliveries.noteTry(delivery.id, number, outcome, now))) return null;
    await tables.webhookTries.insert(delivery.id, { ...made, number });
    if (delivery.endpointId !== null) await judgeEndpoint(tables, delivery, delivery.endpointId, made, outcome, now);
    else if (made.status === 410 && delivery.taskId !== null) await tables.tasks.endCallbacks(delivery.taskId, now);
    return outcome;
  });
}

/** Only 2xx is success, and 410 is for good. */
function outcomeOf(status: number | null, delaySeconds: number | null, now: Date): DeliveryOutcome {
  if (status !== null && status >= 200 && status < 300) return { status: 'delivered' };
  if (status === 410) return { status: 'dead', reason: 'gone' };
  if (delaySeconds === null) return { status: 'dead', reason: 'tries_used_up' };
  return { status: 'pending', nextTryAt: new Date(now.getTime() + delaySeconds * 1000) };
}

/** An endpoint is disabled by 410, and by a delivery that used up its tries while nothing else reached it either. */
async function judgeEndpoint(
  tables: Tables,
  { id }: WebhookDelivery,
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
  else {
    const [first] = await webhookTries.of(id);
    await webhookEndpoints.disable(endpointId, 'failing', now, first?.startedAt ?? startedAt);
  }
}
