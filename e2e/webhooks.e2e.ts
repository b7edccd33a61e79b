import type { ErrorBody, Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { type ReceivedWebhook, startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, inject, test } from 'vitest';
import type {
  Event,
  IssuedWebhookEndpoint,
  TriedWebhookDelivery,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointList,
} from '../sdk/src/generated/types.ts';
import { clientFor, ownProject, workerPort } from './own-project.ts';
import { unsigned } from './unsigned.ts';

/** An event whose task has not been deleted. */
type TaskEvent = Event & { data: Task };

const ownPort = workerPort();
const small = { prompt: 'A paper boat', ...smallestVideo };

const receiver = await startWebhookReceiver(ownPort);
afterAll(() => receiver.close());

let paths = 0;
const newPath = () => `/webhooks/${(paths += 1)}`;

/** Creates a project, and returns functions that call the webhook routes with its key. */
async function newCaller(name: string, settings: string[] = []) {
  const { client } = await ownProject(name, settings);
  const change = async (id: string, fields: object): Promise<WebhookEndpoint> => {
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    return (await (await client.fetch(`/v1/webhook-endpoints/${id}`, init)).json()) as WebhookEndpoint;
  };
  const newEndpoint = async (path: string, fields: Record<string, unknown> = {}) => {
    const made = await client.post<IssuedWebhookEndpoint>('/v1/webhook-endpoints', {
      url: receiver.url(path),
      ...fields,
    });
    expect(made.status).toBe(200);
    return made.body;
  };
  const delivered = (id: string) =>
    eventually('the delivery is delivered', async () => {
      const { body } = await client.get<TriedWebhookDelivery>(`/v1/webhook-deliveries/${id}`);
      return body.status === 'delivered' && body;
    });
  return { client, change, newEndpoint, delivered };
}

async function receivedAt(path: string, count = 1): Promise<ReceivedWebhook[]> {
  return eventually(`${count} webhooks at ${path}`, async () => {
    const received = receiver.received(path);
    return received.length >= count && received;
  });
}

const verified = (secret: string, { body, headers }: ReceivedWebhook) =>
  new Webhook(secret).verify(body, headers) as TaskEvent;

describe('webhook endpoints', () => {
  test('webhook endpoints can be created, read, changed, listed and deleted; the secret is returned only once', async () => {
    const { client, change, newEndpoint } = await newCaller('webhooks-crud');
    const { secret, ...made } = await newEndpoint(newPath(), { description: 'library', events: ['video.failed'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      object: 'webhook_endpoint',
      description: 'library',
      events: ['video.failed'],
      livemode: false,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
    });
    const read = await client.get<WebhookEndpoint>(`/v1/webhook-endpoints/${made.id}`);
    expect(read.body).toEqual(made);
    const changed = await change(made.id, { status: 'disabled', events: [] });
    expect(changed).toEqual({ ...made, events: [], status: 'disabled', disabled_reason: 'by_caller' });
    const second = await newEndpoint(newPath());
    const page = await client.get<WebhookEndpointList>('/v1/webhook-endpoints?limit=1');
    expect(page.body).toMatchObject({ object: 'list', first_id: second.id, last_id: second.id, has_more: true });
    const next = await client.get<WebhookEndpointList>(`/v1/webhook-endpoints?limit=1&after=${second.id}`);
    expect(next.body).toMatchObject({ first_id: made.id, has_more: false });
    expect(page.text + next.text + read.text).not.toContain('whsec_');
    const deleted = await client.delete(`/v1/webhook-endpoints/${made.id}`);
    expect(deleted.body).toEqual({ id: made.id, object: 'webhook_endpoint.deleted', deleted: true });
    const [absent, foreign] = [
      await client.get<ErrorBody>(`/v1/webhook-endpoints/${made.id}`),
      await clientFor(inject('world').testKey).get<ErrorBody>(`/v1/webhook-endpoints/${second.id}`),
    ];
    expect([absent.status, foreign.status]).toEqual([404, 404]);
    expect(absent.body.error.message).toBe('There is no webhook endpoint with this id.');
    expect((await client.delete(`/v1/webhook-endpoints/${made.id}`)).body).toEqual(deleted.body);
    expect(foreign.body.error).toEqual(absent.body.error);
  });

  test('webhook endpoints are refused if their URL is not allowed, and the error lists every problem', async () => {
    const client = clientFor(inject('world').testKey);
    const codes = async (body: unknown) => {
      const response = await client.post<ErrorBody>('/v1/webhook-endpoints', body);
      return [response.status, ...response.body.error.details.map(({ param, code }) => `${param} ${code}`)];
    };
    expect(await codes({ url: 'https://10.0.0.1/' })).toEqual([400, 'url not_allowed']);
    expect(await codes({ url: 'https://user:word@example.com/' })).toEqual([400, 'url not_allowed']);
    expect(await codes({ url: 'https://example.com:22/' })).toEqual([400, 'url not_allowed']);
    expect(await codes({ url: 'ftp://example.com/' })).toEqual([400, 'url not_allowed']);
    expect(await codes({ url: 'nonsense' })).toEqual([400, 'url malformed']);
    expect(await codes({ events: ['video.completd'], colour: 'red' })).toEqual([
      400,
      'url missing',
      'events.0 not_allowed',
      'colour unknown',
    ]);
    const refused = await client.post<ErrorBody>('/v1/videos/text-to-video', {
      ...small,
      callback_url: 'https://169.254.169.254/latest',
      callback_events: ['video.done'],
    });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map(({ param }) => param)).toEqual(['callback_url', 'callback_events.0']);
  });

  test('webhook endpoints get a signed test event, and the delivery log shows its result', async () => {
    const { client, newEndpoint, delivered } = await newCaller('webhooks-test');
    const path = newPath();
    const { id, secret } = await newEndpoint(path, { events: ['video.failed'] });
    const sent = await client.post<WebhookDelivery>(`/v1/webhook-endpoints/${id}/test`);
    expect(sent.body).toMatchObject({
      object: 'webhook_delivery',
      event_type: 'webhook.test',
      endpoint_id: id,
      task_id: null,
    });
    const [received] = await receivedAt(path);
    if (!received) throw new Error('nothing was received');
    expect(verified(secret, received)).toMatchObject({
      id: sent.body.event_id,
      type: 'webhook.test',
      data: { object: 'webhook_test', endpoint_id: id, livemode: false },
    });
    const end = await delivered(sent.body.id);
    expect(end).toMatchObject({ try_count: 1, next_try_at: null, dead_reason: null });
    expect(end.tries).toMatchObject([{ number: 1, status: 204, reason: null, answer: '' }]);
    expect(JSON.stringify(end.body)).toBe(received.body);
  });
});

describe('the events of a task', () => {
  test('the events of a task reach the endpoints of its project and its own callback, each signed with its own secret', async () => {
    const { client, newEndpoint } = await newCaller('webhooks-task');
    const [hook, callback, onlyCompleted] = [newPath(), newPath(), newPath()];
    const { secret } = await newEndpoint(hook);
    await newEndpoint(onlyCompleted, { events: ['video.completed'] });
    const callbackSecret = (await client.get<{ secret: string }>('/v1/webhook-endpoints/callback-secret')).body.secret;
    const created = await client.post('/v1/videos/text-to-video', {
      ...small,
      callback_url: receiver.url(callback),
      callback_events: ['video.started', 'video.completed'],
    });
    expect(created.text).not.toContain('callback');
    const typeOf = ({ body }: ReceivedWebhook) => (JSON.parse(body) as TaskEvent).type;
    // Events are delivered independently, so their order is not promised.
    const received = await receivedAt(hook, 2);
    const started = received.find((one) => typeOf(one) === 'video.started');
    const completed = received.find((one) => typeOf(one) === 'video.completed');
    const [byCallback] = await receivedAt(callback, 2);
    if (!started || !completed || !byCallback) throw new Error('nothing was received');
    expect(verified(secret, started)).toMatchObject({
      type: 'video.started',
      data: { task_id: created.body.task_id, status: 'in_progress', is_final: false, video: null },
    });
    const end = verified(secret, completed);
    expect(end).toMatchObject({ type: 'video.completed', data: { status: 'completed', prompt: small.prompt } });
    const file = await fetch(end.data.video_url ?? '');
    expect(file.status).toBe(200);
    await file.body?.cancel();
    expect(verified(callbackSecret, byCallback).data.task_id).toBe(created.body.task_id);
    expect(() => verified(secret, byCallback)).toThrow('No matching signature');
    expect((await receivedAt(onlyCompleted)).map(typeOf)).toEqual(['video.completed']);
    const log = await client.get<WebhookDeliveryList>(
      `/v1/webhook-deliveries?task_id=${created.body.task_id}&order=asc`,
    );
    expect(log.body.data.map(({ event_type, endpoint_id }) => `${event_type} ${endpoint_id === null}`).sort()).toEqual(
      ['completed false', 'completed false', 'completed true', 'started false', 'started true'].map(
        (name) => `video.${name}`,
      ),
    );
  });

  test('the events of a task are retried with the same webhook-id until they are delivered, and can be redelivered', async () => {
    const { client, newEndpoint, delivered } = await newCaller('webhooks-retry', neverRunning);
    const path = newPath();
    const { id } = await newEndpoint(path);
    receiver.respondWith(path, 500, 200);
    const task = await client.create(small);
    await client.cancel(task.task_id);
    const [first, second] = await receivedAt(path, 2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const log = await client.get<WebhookDeliveryList>(`/v1/webhook-deliveries?endpoint_id=${id}`);
    const [made] = log.body.data;
    if (!made) throw new Error('there is no delivery');
    const shown = await delivered(made.id);
    expect(shown.tries).toMatchObject([
      { number: 1, status: 500, answer: 'responded 500' },
      { number: 2, status: 200, answer: 'responded 200' },
    ]);
    // The log shows the body that was sent, with URLs that are signed anew.
    expect(unsigned(JSON.stringify(shown.body))).toBe(unsigned(second?.body ?? ''));
    const redelivery = await client.post<WebhookDelivery>(`/v1/webhook-deliveries/${made.id}/redeliver`);
    expect(redelivery.body).toMatchObject({ event_id: made.event_id, endpoint_id: id, task_id: task.task_id });
    expect(redelivery.body.id).not.toBe(made.id);
    const received = await receivedAt(path, 3);
    expect(received[2]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  test('a response of 410 stops the deliveries and disables the endpoint until the caller enables it', async () => {
    const { client, change, newEndpoint } = await newCaller('webhooks-gone', neverRunning);
    const path = newPath();
    const { id } = await newEndpoint(path);
    receiver.respondWith(path, 410, 204);
    const cancelled = async () => {
      const { task_id: taskId } = await client.create(small);
      await client.cancel(taskId);
    };
    await cancelled();
    const endpoint = () => client.get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`);
    await eventually('the endpoint is disabled', async () => (await endpoint()).body.status === 'disabled');
    expect((await endpoint()).body.disabled_reason).toBe('gone');
    const dead = await client.get<WebhookDeliveryList>('/v1/webhook-deliveries?status=dead');
    expect(dead.body.data).toMatchObject([{ dead_reason: 'gone', try_count: 1 }]);
    const refused = await client.post<ErrorBody>(`/v1/webhook-deliveries/${dead.body.first_id}/redeliver`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'webhook_endpoint_disabled']);
    await cancelled();
    await change(id, { status: 'enabled' });
    await client.post(`/v1/webhook-deliveries/${dead.body.first_id}/redeliver`);
    await receivedAt(path, 2);
    // The event from the time when the endpoint was disabled is never sent.
    expect((await client.get<WebhookDeliveryList>('/v1/webhook-deliveries')).body.data).toHaveLength(2);
  });
});

test('after a rotation the new and the old secret both sign until the overlap ends', async () => {
  const { client, newEndpoint } = await newCaller('webhooks-rotation');
  const path = newPath();
  const { id, secret } = await newEndpoint(path);
  const rotated = await client.post<IssuedWebhookEndpoint>(`/v1/webhook-endpoints/${id}/rotate-secret`, {
    overlap_seconds: 3600,
  });
  await client.post(`/v1/webhook-endpoints/${id}/test`);
  const [both] = await receivedAt(path);
  if (!both) throw new Error('nothing was received');
  for (const one of [secret, rotated.body.secret]) expect(verified(one, both).type).toBe('webhook.test');
  const last = await client.post<IssuedWebhookEndpoint>(`/v1/webhook-endpoints/${id}/rotate-secret`, {
    overlap_seconds: 0,
  });
  await client.post(`/v1/webhook-endpoints/${id}/test`);
  const [, alone] = await receivedAt(path, 2);
  if (!alone) throw new Error('nothing was received');
  expect(verified(last.body.secret, alone).type).toBe('webhook.test');
  expect(() => verified(rotated.body.secret, alone)).toThrow('No matching signature');
  const wrong = await client.post<ErrorBody>(`/v1/webhook-endpoints/${id}/rotate-secret`, { overlap_seconds: 604_801 });
  expect(wrong.status).toBe(400);
});
