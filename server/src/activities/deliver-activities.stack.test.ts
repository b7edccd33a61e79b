import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import { startWebhookReceiver, status } from '@kinora/stack/harness/webhook-receiver';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentEvent } from '../api/presenters/present-event.ts';
import { presentTestEvent } from '../api/presenters/present-webhook.ts';
import type { Project } from '../db/access/project-table.ts';
import type { DeliveryStep } from '../domain/delivery-step.ts';
import { uuidFromId } from '../domain/id.ts';
import type { WebhookDelivery } from '../domain/webhook.ts';
import { callerOf, operator, useWorld } from '../operations/operations.fixture.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { readCallbackSecret, rotateCallbackSecret } from '../operations/webhooks/callback-secret.ts';
import { changeWebhookEndpoint } from '../operations/webhooks/change-webhook-endpoint.ts';
import { createWebhookEndpoint } from '../operations/webhooks/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from '../operations/webhooks/delete-webhook-endpoint.ts';
import { listWebhookDeliveries, readWebhookDelivery } from '../operations/webhooks/read-webhook-delivery.ts';
import { readWebhookEndpoint } from '../operations/webhooks/read-webhook-endpoint.ts';
import { redeliverWebhook } from '../operations/webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../operations/webhooks/rotate-webhook-secret.ts';
import { sendWebhookTest } from '../operations/webhooks/send-webhook-test.ts';
import { sealSecrets } from '../operations/webhooks/webhook-secrets.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { loopbackPolicy } from '../outbound/outbound-policy.fixture.ts';
import { nextDelaySeconds, readRetryAfter } from '../webhooks/schedule.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import { newWebhookSecret, signWebhook } from '../webhooks/sign.ts';
import { createTryDelivery } from './deliver-activities.ts';

const schedule = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const testKey = 'a-key-of-at-least-32-characters-for-tests';
const tools = { box: createSecretBox([testKey]), newSecret: newWebhookSecret };
const page = { after: null, limit: 100, order: 'asc' as const };

const world = useWorld();
const receiver = forAllTests(startWebhookReceiver, (made) => made.close());
let fetcher: GuardedFetcher;
type Deliver = (deliveryId: string, options?: { signal?: AbortSignal; timesPutOff?: number }) => Promise<DeliveryStep>;
let deliver: Deliver;

beforeAll(async () => {
  fetcher = createGuardedFetcher(loopbackPolicy(receiver.port));
  deliver = newWorker({ trySeconds: 3_600 }); // more than a response takes, however busy the machine is
});

/** Returns the activity of a worker of its own, which counts the tries in flight by itself. */
function newWorker({ trySeconds }: { trySeconds: number }): Deliver {
  const tryDelivery = createTryDelivery({
    ...world,
    ...tools,
    fetcher,
    sign: signWebhook,
    nextDelaySeconds: (tries, retryAfterSeconds) =>
      nextDelaySeconds({ schedule, tries, retryAfterSeconds, random: 0.5 }),
    readRetryAfter,
    bodyOf: async (delivery, view) => {
      if (!view || delivery.taskId === null || delivery.eventType === 'webhook.test') return presentTestEvent(delivery);
      const { eventId: id, eventType: type, eventCreatedAt: createdAt, taskId, attempt } = delivery;
      return presentEvent({ ...delivery, id, type, createdAt, taskId, attempt: attempt ?? 1 }, view, null);
    },
    tryMilliseconds: trySeconds * 1000,
  });
  return (deliveryId, { signal = new AbortController().signal, timesPutOff = 0 } = {}) =>
    tryDelivery({ deliveryId, timesPutOff }, signal);
}

afterAll(() => fetcher?.close());

/** Delivers as the workflow does, but moves the clock instead of sleeping. Returns the waits between tries. */
async function run(deliveryId: string): Promise<number[]> {
  const waits: number[] = [];
  for (;;) {
    const step = await deliver(deliveryId);
    if (step.kind === 'done') return waits;
    waits.push(Math.round(step.afterSeconds));
    await world.moveClock(step.afterSeconds);
  }
}

let paths = 0;
const newPath = () => `/hook-${(paths += 1)}`;

async function newEndpoint(project: Project, path = newPath(), events: ('video.started' | 'video.cancelled')[] = []) {
  const given = { url: receiver.url(path), description: '', events };
  const { endpoint, secret } = await createWebhookEndpoint({ ...world, ...tools }, callerOf(project), given);
  return { id: endpoint.id, secret, path };
}

async function deliveriesOf(project: Project, taskId?: string): Promise<WebhookDelivery[]> {
  return (await listWebhookDeliveries(world, callerOf(project), { ...page, filter: { taskId } })).deliveries;
}

/** Cancels a task, which is the cheapest event. Returns the deliveries that it caused. */
async function cancelledTask(project: Project, callbackUrl: string | null = null) {
  const task = await world.accept(project, { request: { callbackUrl } });
  await cancelTask(world, task.id);
  const deliveries = await deliveriesOf(project, task.id);
  return { task, deliveries, first: one(deliveries) };
}

/** Creates a project with one endpoint that replies like this, and an event for it. */
async function newDelivery(...replies: Parameters<typeof receiver.respondWith>[1][]) {
  const project = await world.newProject();
  const endpoint = await newEndpoint(project);
  if (replies.length > 0) receiver.respondWith(endpoint.path, ...replies);
  return { project, ...endpoint, ...(await cancelledTask(project)) };
}

function one(deliveries: readonly WebhookDelivery[]): WebhookDelivery {
  const [first] = deliveries;
  if (!first) throw new Error('there is no delivery');
  return first;
}

const read = (project: Project, id: string) => readWebhookDelivery(world, callerOf(project), id);
const endpointOf = (project: Project, id: string) => readWebhookEndpoint(world, callerOf(project), id);

describe('an event', () => {
  it('is recorded in the transaction that causes it, for each endpoint that subscribes to it and for the callback', async () => {
    const project = await world.newProject();
    const [all, cancels, starts] = [
      await newEndpoint(project),
      await newEndpoint(project, newPath(), ['video.cancelled']),
      await newEndpoint(project, newPath(), ['video.started']),
    ];
    const disabled = await newEndpoint(project);
    await changeWebhookEndpoint(world, callerOf(project), disabled.id, { status: 'disabled' });
    const task = await world.accept(project, { request: { callbackUrl: receiver.url('/callback') } });
    await world.begin(task);
    const endpoints = async () =>
      (await deliveriesOf(project)).map(({ eventType, endpointId }) => `${eventType} ${endpointId}`).sort();
    const afterBegin = [all.id, starts.id, null].map((id) => `video.started ${id}`);
    expect(await endpoints()).toEqual(afterBegin.sort());
    await cancelTask(world, task.id);
    const afterCancel = [all.id, cancels.id, null].map((id) => `video.cancelled ${id}`);
    expect(await endpoints()).toEqual([...afterBegin, ...afterCancel].sort());
    const messages = await world.messages();
    const deliverMessages = messages.filter(
      (message) => message.kind === 'deliver' && message.projectId === project.id,
    );
    expect(deliverMessages).toHaveLength(6);
    expect(JSON.stringify(messages)).not.toMatch(/http|lighthouse/);
  });

  it('an event whose transaction is rolled back is not delivered', async () => {
    const project = await world.newProject();
    await newEndpoint(project);
    const task = await world.accept(project);
    await expect(
      world.db.transaction(async (tables) => {
        const { endTask } = await import('../operations/tasks/end-task.ts');
        await endTask(tables, task.id, { kind: 'cancel' }, {}, world.clock.now());
        throw new Error('and then the process died');
      }),
    ).rejects.toThrow('died');
    expect(await deliveriesOf(project)).toEqual([]);
  });

  it('an event of the other mode is not delivered', async () => {
    const project = await world.newProject();
    await newEndpoint(project);
    const task = await world.accept(project, { livemode: false });
    await cancelTask(world, task.id);
    expect(await deliveriesOf(project)).toEqual([]);
  });
});

describe('a delivery', () => {
  it('is a signed POST with the task as it was, and 2xx ends it', async () => {
    const { project, path, secret, task, first } = await newDelivery(status(202, {}, 'thank\0s'));
    expect(await run(first.id)).toEqual([]);
    const [received] = receiver.received(path);
    expect(received?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': first.eventId });
    const body = new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {});
    expect(body).toMatchObject({
      id: first.eventId,
      type: 'video.cancelled',
      data: { task_id: task.id, status: 'cancelled', prompt: 'a lighthouse at dusk' },
    });
    expect(received?.body).not.toContain('callback');
    const { delivery, tries } = await read(project, first.id);
    expect(delivery).toMatchObject({ status: 'delivered', tries: 1, nextTryAt: null, deadReason: null });
    expect(tries).toMatchObject([{ number: 1, status: 202, reason: null, answer: 'thank\u{fffd}s' }]);
    // A repetition changes nothing.
    expect(await deliver(first.id)).toEqual({ kind: 'done' });
    expect(receiver.received(path)).toHaveLength(1);
  });

  it('is tried ten times on the schedule, then it is dead and its endpoint is disabled as failing', async () => {
    const { project, id, path, first } = await newDelivery(status(500, {}, 'no'));
    expect(await run(first.id)).toEqual(schedule.slice(1));
    const received = receiver.received(path);
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first.eventId]));
    expect(new Set(received.map(({ headers }) => headers['webhook-signature'])).size).toBe(10);
    const { delivery, tries } = await read(project, first.id);
    expect(delivery).toMatchObject({ status: 'dead', deadReason: 'tries_used_up', tries: 10, nextTryAt: null });
    expect(tries.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await endpointOf(project, id)).toMatchObject({ disabledReason: 'failing' });
  });

  it('a delivery that used up its tries does not disable an endpoint that other deliveries reached', async () => {
    const { project, id, path, first } = await newDelivery();
    receiver.respondWith(path, status(500), status(500), status(500), status(204), status(500));
    await deliver(first.id);
    await world.moveClock(5);
    await deliver(first.id);
    await world.moveClock(300);
    await deliver(first.id);
    expect((await endpointOf(project, id)).failingSince).not.toBeNull();
    await run((await cancelledTask(project)).first.id);
    expect((await endpointOf(project, id)).failingSince).toBeNull();
    await world.moveClock(1800);
    await run(first.id);
    expect((await read(project, first.id)).delivery).toMatchObject({ status: 'dead', tries: 10 });
    expect(await endpointOf(project, id)).toMatchObject({ disabledAt: null });
    expect((await endpointOf(project, id)).failingSince).not.toBeNull();
  });

  it.each([
    ['a redirect', status(302, { location: 'http://127.0.0.1/elsewhere' }), { status: 302, reason: null }],
    ['404', status(404), { status: 404, reason: null }],
    [
      'a reset',
      (response: { socket: { resetAndDestroy(): void } | null }) => response.socket?.resetAndDestroy(),
      { status: null, reason: 'connection_failed' },
    ],
  ])('fails with %s and is retried', async (_, reply, expected) => {
    const { project, path, first } = await newDelivery(reply, status(200));
    expect(await run(first.id)).toEqual([5]);
    const { delivery, tries } = await read(project, first.id);
    expect(delivery.status).toBe('delivered');
    expect(tries).toMatchObject([expected, { status: 200 }]);
    expect(receiver.received(path).map(({ headers }) => headers['webhook-id'])).toEqual([first.eventId, first.eventId]);
  });

  it('fails with silence and is retried', async () => {
    const { project, path, first } = await newDelivery(() => undefined);
    // On a busy machine this may be over before the receiver has got anything, which is silence too.
    const step = await newWorker({ trySeconds: 1 })(first.id);
    expect(step).toEqual({ kind: 'again', afterSeconds: 5 });
    receiver.respondWith(path, status(200));
    await world.moveClock(5);
    expect(await run(first.id)).toEqual([]);
    const { delivery, tries } = await read(project, first.id);
    expect(delivery.status).toBe('delivered');
    expect(tries).toMatchObject([{ status: null, reason: 'timeout' }, { status: 200 }]);
    const ids = receiver.received(path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([first.eventId]));
  });

  it('waits as long as Retry-After says, but at most a day', async () => {
    const replies = [status(429, { 'retry-after': '90' }), status(503, { 'retry-after': '999999' }), status(200)];
    const { first } = await newDelivery(...replies);
    expect(await run(first.id)).toEqual([90, 86_400]);
  });

  it('is not sent to an address that is not public, even if the endpoint was once allowed', async () => {
    const project = await world.newProject();
    const given = { url: 'http://127.0.0.2/', description: '', events: [] };
    await createWebhookEndpoint({ ...world, ...tools }, callerOf(project), given);
    const { first } = await cancelledTask(project);
    expect(await deliver(first.id)).toMatchObject({ kind: 'again' });
    expect((await read(project, first.id)).tries).toMatchObject([{ status: null, reason: 'forbidden_address' }]);
  });

  it('a delivery whose worker dies after the try was recorded is not retried too early', async () => {
    const { path, first } = await newDelivery(status(500));
    await deliver(first.id);
    const step = await deliver(first.id);
    expect(step.kind).toBe('again');
    expect(receiver.received(path)).toHaveLength(1);
  });

  it('a delivery whose worker shuts down during a try does not record the try, and is retried with the same id', async () => {
    const project = await world.newProject();
    const { path } = await newEndpoint(project);
    const shutdown = new AbortController();
    receiver.respondWith(path, () => shutdown.abort(new Error('the worker shuts down')), status(200));
    const { first } = await cancelledTask(project);
    await expect(deliver(first.id, { signal: shutdown.signal })).rejects.toThrow('shuts down');
    expect((await read(project, first.id)).tries).toEqual([]);
    await run(first.id);
    expect(receiver.received(path).map(({ headers }) => headers['webhook-id'])).toEqual([first.eventId, first.eventId]);
  });

  it('a delivery of a deleted task says only that the task was deleted', async () => {
    const project = await world.newProject();
    const { path } = await newEndpoint(project);
    const callback = newPath();
    const { task, deliveries } = await cancelledTask(project, receiver.url(callback));
    await world.db.tasks.erase(task.id, world.clock.now());
    for (const { id } of deliveries) await run(id);
    for (const { body } of [...receiver.received(path), ...receiver.received(callback)]) {
      expect(JSON.parse(body).data).toEqual({
        task_id: task.id,
        id: task.id,
        object: 'video',
        status: 'cancelled',
        deleted: true,
      });
    }
    expect(receiver.received(callback)).toHaveLength(1);
  });
});

describe('410', () => {
  it('a response of 410 disables an endpoint, and its pending deliveries and redeliveries end without a try', async () => {
    const project = await world.newProject();
    const { id, path } = await newEndpoint(project);
    receiver.respondWith(path, status(500), status(410));
    const waiting = (await cancelledTask(project)).first;
    await deliver(waiting.id);
    const { first } = await cancelledTask(project);
    await run(first.id);
    expect((await read(project, first.id)).delivery).toMatchObject({ status: 'dead', deadReason: 'gone', tries: 1 });
    expect(await endpointOf(project, id)).toMatchObject({ disabledReason: 'gone' });
    await world.moveClock(10);
    expect(await run(waiting.id)).toEqual([]);
    expect((await read(project, waiting.id)).delivery).toMatchObject({
      status: 'dead',
      deadReason: 'endpoint_disabled',
      tries: 1,
    });
    expect(receiver.received(path)).toHaveLength(2);
    await expect(redeliverWebhook(world, callerOf(project), first.id)).rejects.toMatchObject({
      code: 'webhook_endpoint_disabled',
    });
    await expect(sendWebhookTest(world, callerOf(project), id)).rejects.toMatchObject({
      code: 'webhook_endpoint_disabled',
    });
    // An endpoint that is enabled again works as before.
    await changeWebhookEndpoint(world, callerOf(project), id, { status: 'enabled' });
    receiver.respondWith(path, status(200));
    const redelivery = await redeliverWebhook(world, callerOf(project), first.id);
    expect(redelivery).toMatchObject({ eventId: first.eventId, endpointId: id, status: 'pending' });
    await run(redelivery.id);
    expect(receiver.received(path).at(-1)?.headers['webhook-id']).toBe(first.eventId);
  });

  it('a response of 410 ends the callbacks of its task and of no other', async () => {
    const project = await world.newProject();
    const path = newPath();
    receiver.respondWith(path, status(410), status(200));
    const task = await world.accept(project, { request: { callbackUrl: receiver.url(path) } });
    await world.begin(task);
    const started = one(await deliveriesOf(project));
    await run(started.id);
    expect((await read(project, started.id)).delivery).toMatchObject({ status: 'dead', deadReason: 'gone' });
    await cancelTask(world, task.id);
    expect(await deliveriesOf(project)).toHaveLength(1);
    await expect(redeliverWebhook(world, callerOf(project), started.id)).rejects.toMatchObject({ status: 409 });
    const other = await cancelledTask(project, receiver.url(path));
    await run(other.first.id);
    expect((await read(project, other.first.id)).delivery.status).toBe('delivered');
  });
});

describe('secrets', () => {
  it('are both accepted while one is rotated, until the overlap ends', async () => {
    const project = await world.newProject();
    const { id, path, secret } = await newEndpoint(project);
    const rotated = await rotateWebhookSecret({ ...world, ...tools }, callerOf(project), id, 60);
    expect(rotated.secret).not.toBe(secret);
    await run((await cancelledTask(project)).first.id);
    const [received] = receiver.received(path);
    expect(received?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    await world.moveClock(61);
    await run((await cancelledTask(project)).first.id);
    const last = receiver.received(path).at(-1);
    expect(last?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    const expected = signWebhook(
      {
        id: last?.headers['webhook-id'] ?? '',
        at: new Date(Number(last?.headers['webhook-timestamp']) * 1000),
        body: last?.body ?? '',
      },
      [rotated.secret],
    );
    expect(last?.headers).toMatchObject(expected);
  });

  it('secrets of callbacks are created when they are first needed, one per project and mode', async () => {
    const project = await world.newProject();
    const path = newPath();
    const { first } = await cancelledTask(project, receiver.url(path));
    await run(first.id);
    const live = await readCallbackSecret({ ...world, ...tools }, callerOf(project));
    const test = await readCallbackSecret({ ...world, ...tools }, { ...callerOf(project), livemode: false });
    expect(live.secret).not.toBe(test.secret);
    const signatureWith = (secret: string) => {
      const [received] = receiver.received(path);
      const { 'webhook-id': id = '', 'webhook-timestamp': seconds } = received?.headers ?? {};
      return signWebhook({ id, at: new Date(Number(seconds) * 1000), body: received?.body ?? '' }, [secret]);
    };
    expect(receiver.received(path)[0]?.headers).toMatchObject(signatureWith(live.secret));
    const rotated = await rotateCallbackSecret({ ...world, ...tools }, callerOf(project), 0);
    expect(rotated).toMatchObject({ previousExpiresAt: null });
    expect((await readCallbackSecret({ ...world, ...tools }, callerOf(project))).secret).toBe(rotated.secret);
  });

  it('are the same for all callers that read the first one at once', async () => {
    const project = await world.newProject();
    const reads = Array.from({ length: 10 }, () => readCallbackSecret({ ...world, ...tools }, callerOf(project)));
    expect(new Set((await Promise.all(reads)).map(({ secret }) => secret)).size).toBe(1);
  });

  it('are encrypted in the table, cannot be decrypted in another row, and survive a new key in front of KINORA_SECRET_KEYS', async () => {
    const project = await world.newProject();
    const [one_, other] = [await newEndpoint(project), await newEndpoint(project)];
    const rows = await world.db.kysely.selectFrom('webhook_endpoints').selectAll().execute();
    for (const { secret } of rows) expect(secret.toString('latin1')).not.toContain('whsec_');
    const keys = ['a-new-key-of-at-least-32-characters-first', testKey];
    const box = createSecretBox(keys);
    const sealed = await world.db.webhookEndpoints.findSealed(one_.id);
    const place = { table: 'webhook_endpoints', id: one_.id, column: 'secret' };
    expect(box.open(sealed?.sealed.secret ?? Buffer.alloc(0), place)).toBe(one_.secret);
    await world.db.webhookEndpoints.replaceSecrets(other.id, {
      secret: sealed?.sealed.secret ?? Buffer.alloc(0),
      previousSecret: null,
      previousSecretExpiresAt: null,
    });
    const moved = (await cancelledTask(project)).deliveries.find(({ endpointId }) => endpointId === other.id);
    await deliver(moved?.id ?? '');
    expect(receiver.received(other.path)).toEqual([]);
  });

  it('are retried on schedule while no key decrypts them; then the delivery is dead with that reason, and nobody is blamed', async () => {
    const project = await world.newProject();
    const { id, secret, path } = await newEndpoint(project);
    const under = (key: string) => {
      const row = { table: 'webhook_endpoints', id };
      return sealSecrets(createSecretBox([key]), row, [secret], null);
    };
    const { first } = await cancelledTask(project);
    await world.db.webhookEndpoints.replaceSecrets(id, under('a-key-that-was-removed-before-the-rewrap'));
    expect(await run(first.id)).toEqual(schedule.slice(1));
    expect((await read(project, first.id)).delivery).toMatchObject({ status: 'dead', deadReason: 'secret_unreadable' });
    expect((await read(project, first.id)).tries).toMatchObject(
      schedule.map((_, index) => ({ number: index + 1, status: null, reason: 'secret_unreadable', answer: null })),
    );
    expect(receiver.received(path)).toEqual([]);
    expect(await readWebhookEndpoint(world, callerOf(project), id)).toMatchObject({
      disabledAt: null,
      failingSince: null,
    });
    const { first: second } = await cancelledTask(project);
    await deliver(second.id);
    await world.db.webhookEndpoints.replaceSecrets(id, under(testKey)); // the operator puts the key back
    await world.moveClock(10);
    expect(await run(second.id)).toEqual([]);
    expect((await read(project, second.id)).delivery).toMatchObject({ status: 'delivered', tries: 2 });
  });

  it('can be rotated although no key decrypts the previous one, which then signs no more', async () => {
    const project = await world.newProject();
    const { id } = await newEndpoint(project);
    const owner = callerOf(project);
    await readCallbackSecret({ ...world, ...tools }, owner);
    const rotated = { ...tools, box: createSecretBox(['a-key-that-came-after-the-old-one-was-lost']) };
    await rotateWebhookSecret({ ...world, ...rotated }, owner, id, 3600);
    expect(await world.db.webhookEndpoints.findSealed(id)).toMatchObject({ sealed: { previousSecret: null } });
    const callbacks = await rotateCallbackSecret({ ...world, ...rotated }, owner, 3600);
    expect(callbacks.previousExpiresAt).toBeNull();
    expect((await readCallbackSecret({ ...world, ...rotated }, owner)).secret).toBe(callbacks.secret);
  });
});

describe('an endpoint', () => {
  it('an endpoint that hangs has at most 20 tries in flight; others are put off, longer each time, and do not count as tries', async () => {
    const project = await world.newProject({ waitingLimit: 100 });
    const { path } = await newEndpoint(project);
    const held: { writeHead(code: number): { end(): unknown } }[] = [];
    receiver.respondWith(path, (response) => void held.push(response));
    const deliveries = [];
    for (let count = 0; count < 25; count += 1) deliveries.push((await cancelledTask(project)).first);
    let putOff = 0;
    const tries = deliveries.map(async ({ id }) => {
      const step = await deliver(id);
      if (step.kind === 'later') putOff += 1;
      return step;
    });
    await expect.poll(() => [held.length, putOff]).toEqual([20, 5]);
    for (const response of held) response.writeHead(500).end();
    const steps = await Promise.all(tries);
    expect(steps.filter(({ kind }) => kind === 'later')).toHaveLength(5);
    expect(steps.filter(({ kind }) => kind === 'again')).toHaveLength(20);
    const waiting = deliveries[steps.findIndex(({ kind }) => kind === 'later')];
    expect((await read(project, waiting?.id ?? '')).delivery.tries).toBe(0);
  });

  it('receivers of one project that hang have at most 100 tries in flight in a worker, and other projects still have room', async () => {
    const [hostile, honest] = [await world.newProject({ waitingLimit: 100 }), await world.newProject()];
    const held: { end(): unknown }[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { path } = await newEndpoint(hostile);
      receiver.respondWith(path, (response) => void held.push(response));
    }
    const { path } = await newEndpoint(honest);
    receiver.respondWith(path, status(204));
    const deliveries = [];
    for (let count = 0; count < 20; count += 1) deliveries.push(...(await cancelledTask(hostile)).deliveries);
    expect(deliveries).toHaveLength(120);
    const deliverHere = newWorker({ trySeconds: 3_600 }); // no try ends before the test ends it
    let putOff = 0;
    const steps = deliveries.map(async ({ id }) => {
      const step = await deliverHere(id);
      if (step.kind === 'later') putOff += 1;
      return step;
    });
    await expect.poll(() => [held.length, putOff]).toEqual([100, 20]);
    const { first } = await cancelledTask(honest);
    expect(await deliverHere(first.id)).toEqual({ kind: 'done' });
    expect((await read(honest, first.id)).delivery.status).toBe('delivered');
    for (const response of held) response.end();
    expect((await Promise.all(steps)).filter(({ kind }) => kind === 'later')).toHaveLength(20);
  });

  it('an endpoint that was deleted gets no more deliveries, and its pending ones are dead at once', async () => {
    const { project, id, path, first } = await newDelivery();
    await deleteWebhookEndpoint(world, operator, callerOf(project), id);
    expect((await read(project, first.id)).delivery).toMatchObject({ status: 'dead', deadReason: 'endpoint_deleted' });
    expect(await run(first.id)).toEqual([]);
    expect(receiver.received(path)).toEqual([]);
    await expect(redeliverWebhook(world, callerOf(project), first.id)).rejects.toMatchObject({ status: 409 });
    // Deleting it again succeeds, as for tasks and keys, but for its owner only.
    await deleteWebhookEndpoint(world, operator, callerOf(project), id);
    for (const stranger of [callerOf(await world.newProject()), { ...callerOf(project), livemode: false }]) {
      await expect(deleteWebhookEndpoint(world, operator, stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('gets a test event like any other event, whatever it subscribes to', async () => {
    const project = await world.newProject();
    const { id, path } = await newEndpoint(project, newPath(), ['video.started']);
    const sent = await sendWebhookTest(world, callerOf(project), id);
    await run(sent.id);
    const [received] = receiver.received(path);
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      id: sent.eventId,
      type: 'webhook.test',
      data: { object: 'webhook_test', endpoint_id: id, livemode: true },
    });
  });

  it('a test event that fails is tried once, does not disable its endpoint, and its redelivery is tried once too', async () => {
    const project = await world.newProject();
    const { id, path } = await newEndpoint(project);
    receiver.respondWith(path, status(500));
    const sent = await sendWebhookTest(world, callerOf(project), id);
    expect(await run(sent.id)).toEqual([]);
    expect((await read(project, sent.id)).delivery).toMatchObject({
      status: 'dead',
      deadReason: 'tries_used_up',
      tries: 1,
    });
    expect((await endpointOf(project, id)).disabledAt).toBeNull();
    expect(await run((await redeliverWebhook(world, callerOf(project), sent.id)).id)).toEqual([]);
    expect(receiver.received(path)).toHaveLength(2);
    expect((await endpointOf(project, id)).disabledAt).toBeNull();
  });

  it('a project with 10,000 pending deliveries can send no tests and no redeliveries until some have ended', async () => {
    const { project, id, first } = await newDelivery(status(200));
    await sql`insert into webhook_deliveries (id, project_id, livemode, event_id, event_type, event_created_at, overdue_at,
        created_at)
      select overlay(id::text placing lpad(to_hex(number), 8, '0') from 29)::uuid, project_id, livemode, event_id,
        event_type, event_created_at, overdue_at, created_at
      from webhook_deliveries, generate_series(1, 9999) as number
      where id = ${uuidFromId('del', first.id)}`.execute(world.db.kysely);
    const refusal = { code: 'rate_limited', status: 429, retryAfterSeconds: 60 };
    await expect(sendWebhookTest(world, callerOf(project), id)).rejects.toMatchObject(refusal);
    await expect(redeliverWebhook(world, callerOf(project), first.id)).rejects.toMatchObject(refusal);
    // The limit is one of the mode.
    const other = { ...callerOf(project), livemode: false };
    expect(await world.db.webhookDeliveries.hasPending(other, 1)).toBe(false);
    await run(first.id);
    const sent = await redeliverWebhook(world, callerOf(project), first.id);
    expect(sent.status).toBe('pending');
  });

  it('is not found by another project or in the other mode, and neither are its deliveries', async () => {
    const { project, id, first } = await newDelivery();
    const strangers = [callerOf(await world.newProject()), { ...callerOf(project), livemode: false }];
    for (const stranger of strangers) {
      const asks = [
        readWebhookEndpoint(world, stranger, id),
        changeWebhookEndpoint(world, stranger, id, { status: 'disabled' }),
        deleteWebhookEndpoint(world, stranger, stranger, id),
        rotateWebhookSecret({ ...world, ...tools }, stranger, id, 0),
        sendWebhookTest(world, stranger, id),
        readWebhookDelivery(world, stranger, first.id),
        redeliverWebhook(world, stranger, first.id),
        readWebhookEndpoint(world, stranger, 'whk_nonsense'),
        readWebhookDelivery(world, stranger, 'del_nonsense'),
      ];
      for (const ask of await Promise.allSettled(asks)) {
        expect(ask).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
        const { reason } = ask as PromiseRejectedResult;
        expect(reason.message).toMatch(/^There is no webhook (endpoint|delivery) with this id\./);
      }
      expect((await listWebhookDeliveries(world, stranger, { ...page, filter: {} })).deliveries).toEqual([]);
    }
    expect((await endpointOf(project, id)).disabledAt).toBeNull();
  });

  it('is one of at most 20 per project and mode, even if many are created at once', async () => {
    const project = await world.newProject();
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => newEndpoint(project)));
    const refused = made.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(5);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'too_many_webhook_endpoints' });
  });
});
