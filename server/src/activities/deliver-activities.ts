import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../db/database.ts';
import type { SealedEndpoint } from '../db/webhooks/webhook-endpoint-table.ts';
import type { Clock } from '../domain/clock.ts';
import { createConcurrencyLimit, NoPermit } from '../domain/concurrency-limit.ts';
import type { DeliveryStep } from '../domain/delivery-step.ts';
import { limits } from '../domain/limits.ts';
import { random } from '../domain/random.ts';
import type { TaskView } from '../domain/task-view.ts';
import type { DeadReason, WebhookDelivery } from '../domain/webhook.ts';
import { OutboundRefused } from '../errors.ts';
import { callbackSecretsInUse } from '../operations/webhooks/callback-secret.ts';
import { type MadeTry, noteWebhookTry, secretUnreadable } from '../operations/webhooks/note-webhook-try.ts';
import { rowOfEndpoint, type SecretTools, secretsInUse } from '../operations/webhooks/webhook-secrets.ts';
import type { GuardedFetcher, GuardedResponse } from '../outbound/guarded-fetch.ts';
import type { Log } from '../telemetry/log.ts';
import type { SignedMessage } from '../webhooks/sign.ts';

export interface WebhookParts extends SecretTools {
  fetcher: GuardedFetcher;
  sign: (message: SignedMessage, secrets: readonly string[]) => Record<string, string>;
  nextDelaySeconds: (tries: number, retryAfterSeconds: number | null) => number | null;
  readRetryAfter: (header: string | undefined, now: Date) => number | null;
  /** Returns the body of an event, with URLs signed now; without a task, that of a test event. */
  bodyOf: (delivery: WebhookDelivery, view: TaskView | null) => Promise<object>;
  /** How long one try may last. */
  tryMilliseconds: number;
}

interface Dependencies extends WebhookParts {
  db: Database;
  clock: Clock;
  log: Log;
}

const failingMilliseconds = 60_000;
/** A receiver that works soon has a free try. One that fails may have thousands waiting, and each check costs. */
const putOff = { seconds: 1, longestSeconds: 30 };
const putOffWhileFailing = { seconds: 5, longestSeconds: 600 };
/** 1 s, because the clocks of two processes differ: a delivery that is due within it counts as due. */
const dueSlackMilliseconds = 1_000;
const storedResponseBytes = 1024;

export type DeliverActivities = ReturnType<typeof deliverActivities>;

export function deliverActivities(tryDelivery: TryDelivery) {
  return {
    deliver: (input: { deliveryId: string; timesPutOff: number }): Promise<DeliveryStep> =>
      tryDelivery(input, cancellationSignal()),
  };
}

/** Makes one try at a delivery, if it is due and its receiver has a free try. May be repeated at any point. */
export type TryDelivery = (
  input: { deliveryId: string; timesPutOff: number },
  signal: AbortSignal,
) => Promise<DeliveryStep>;

/** Creates what makes all tries of this process, so that they share the limits of their receivers and projects. */
export function createTryDelivery(dependencies: Dependencies): TryDelivery {
  const { db, clock } = dependencies;
  const ofProjects = createConcurrencyLimit(limits.deliveries);
  const ofReceivers = createConcurrencyLimit(limits.deliveriesOfReceiver);
  return async ({ deliveryId, timesPutOff }, signal) => {
    const delivery = await db.webhookDeliveries.find(deliveryId);
    if (delivery?.status !== 'pending') return { kind: 'done' };
    // The previous try was recorded, but its worker died before it returned.
    const earlySeconds = ((delivery.nextTryAt?.getTime() ?? 0) - clock.now().getTime()) / 1000;
    if (earlySeconds * 1000 > dueSlackMilliseconds) return { kind: 'again', afterSeconds: earlySeconds };

    // The project's room comes first: a delivery that is put off for it costs one query.
    const leaveProject = ofProjects.tryAcquire(delivery.projectId);
    if (leaveProject instanceof NoPermit) return later(putOff, timesPutOff);
    try {
      return await deliverTo(await findReceiver(dependencies, delivery), delivery, timesPutOff, signal);
    } finally {
      leaveProject();
    }
  };

  async function deliverTo(
    receiver: Receiver | DeadReason,
    delivery: WebhookDelivery,
    timesPutOff: number,
    signal: AbortSignal,
  ): Promise<DeliveryStep> {
    if (typeof receiver === 'string') {
      await db.webhookDeliveries.end(delivery.id, receiver, clock.now());
      return { kind: 'done' };
    }
    const leave = ofReceivers.tryAcquire(receiver.key, { perHolder: receiver.room });
    if (leave instanceof NoPermit) return later(receiver.isFailing ? putOffWhileFailing : putOff, timesPutOff);
    try {
      const made = await send(dependencies, delivery, receiver, signal);
      const outcome = await noteWebhookTry(dependencies, delivery, made);
      // The row changed during the try, by another worker or an end of the delivery: read it again at once.
      if (!outcome) return { kind: 'again', afterSeconds: 0 };
      if (outcome.status !== 'pending') return { kind: 'done' };
      return { kind: 'again', afterSeconds: (outcome.nextTryAt.getTime() - clock.now().getTime()) / 1000 };
    } finally {
      leave();
    }
  }
}

function later({ seconds, longestSeconds }: typeof putOff, timesPutOff: number): DeliveryStep {
  const waitSeconds = Math.min(longestSeconds, seconds * 2 ** timesPutOff);
  return { kind: 'later', afterSeconds: waitSeconds * (0.5 + random.below(1_000) / 1_000) };
}

interface Receiver {
  url: string;
  /** Null if they cannot be decrypted. */
  secrets: readonly string[] | null;
  view: TaskView | null;
  /** Deliveries with the same key share the tries of a receiver. */
  key: string;
  room: number;
  isFailing: boolean;
}

/** Returns the URL of a delivery and the secrets that sign it, or why it can never be delivered. */
async function findReceiver(dependencies: Dependencies, delivery: WebhookDelivery): Promise<Receiver | DeadReason> {
  const { db, box, clock } = dependencies;
  const { endpointId, taskId } = delivery;
  const [view = null] = taskId === null ? [] : await db.taskViews.findMany([taskId]);
  if (taskId !== null && view === null) return 'task_gone';
  if (endpointId !== null) {
    const endpoint = await db.webhookEndpoints.findSealed(endpointId);
    if (!endpoint) return 'endpoint_deleted';
    if (endpoint.disabledAt !== null) return 'endpoint_disabled';
    const secrets = secretsInUse(box, rowOfEndpoint(endpointId), endpoint.sealed, clock.now());
    const isFailing = endpoint.failingSince !== null;
    return { url: endpoint.url, secrets, view, key: endpointId, room: roomOf(endpoint, clock.now()), isFailing };
  }
  const task = taskId === null ? null : await db.tasks.find(taskId);
  if (!task || task.callbackUrl === null || task.counters.areCallbacksEnded) return 'callbacks_ended';
  const secrets = await callbackSecretsInUse(dependencies, delivery);
  const origin = URL.parse(task.callbackUrl)?.origin ?? '';
  const key = `${delivery.projectId} ${origin}`;
  return { url: task.callbackUrl, secrets, view, key, room: limits.deliveriesOfReceiver.perHolder, isFailing: false };
}

function roomOf({ failingSince }: SealedEndpoint, now: Date): number {
  const isFailing = failingSince !== null && now.getTime() - failingSince.getTime() > failingMilliseconds;
  return (isFailing ? limits.deliveriesOfFailingReceiver : limits.deliveriesOfReceiver).perHolder;
}

async function send(
  { fetcher, sign, bodyOf, readRetryAfter, clock, log, tryMilliseconds }: Dependencies,
  delivery: WebhookDelivery,
  { url, secrets, view }: Receiver,
  signal: AbortSignal,
): Promise<MadeTry> {
  const body = JSON.stringify(await bodyOf(delivery, view));
  const startedAt = clock.now();
  const began = clock.elapsed();
  const made = (result: Pick<MadeTry, 'status' | 'reason' | 'answer' | 'retryAfterSeconds'>): MadeTry => ({
    ...result,
    startedAt,
    durationMilliseconds: Math.round(clock.elapsed() - began),
  });
  // An operator can put the missing key back, so this is one more reason to try again on schedule.
  if (secrets === null) {
    const { id: deliveryId, projectId } = delivery;
    const err = 'KINORA_SECRET_KEYS lacks its key, or it was moved'; // as text, so that repeats are left out
    log.error({ event: 'webhook.secret_unreadable', err, deliveryId, projectId }, 'webhook secret unreadable');
    return made({ status: null, reason: secretUnreadable, answer: null, retryAfterSeconds: null });
  }
  try {
    const signatures = sign({ id: delivery.eventId, at: startedAt, body }, secrets);
    // A worker that shuts down drops the try: another worker repeats it, with the same webhook-id.
    const response = await postWebhook(fetcher, url, { body, signatures, tryMilliseconds, signal });
    const retryAfterSeconds = readRetryAfter(response.headers['retry-after'], clock.now());
    return made({ status: response.status, reason: null, answer: storableText(response.body), retryAfterSeconds });
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    return made({ status: null, reason: error.reason, answer: null, retryAfterSeconds: null });
  }
}

/** Posts a webhook once. The URL is a caller's: no redirect is followed, and only the beginning of the response is read. */
export async function postWebhook(
  fetcher: GuardedFetcher,
  url: string,
  options: { body: string; signatures: Record<string, string>; tryMilliseconds: number; signal?: AbortSignal },
): Promise<GuardedResponse> {
  const { body, signatures, tryMilliseconds, signal } = options;
  return fetcher.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Kinora-Webhooks/1.0', ...signatures },
    body: Buffer.from(body),
    maxBytes: storedResponseBytes,
    longBody: 'keep_beginning',
    timeoutMilliseconds: tryMilliseconds,
    maxRedirects: 0,
    ...(signal && { signal }),
  });
}

/** Returns a text that Postgres can store: NUL and bytes that are not UTF-8 become replacement characters. */
function storableText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '\u{fffd}');
}
