import { download, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { startImageServer } from '@kinora/stack/harness/image-server';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { afterAll, expect, inject, test } from 'vitest';
import type { Event, IssuedWebhookEndpoint, WebhookDelivery, WebhookEndpoint } from '../sdk/src/generated/types.ts';
import { readOpenapi } from './described-responses.ts';
import { save } from './media-folder.ts';
import { clientFor, ownProject, workerPort } from './own-project.ts';
import { firstFrameSsim } from './probe-video.ts';
import { picture } from './sample-pictures.ts';

// Every field of the API that takes an address: one that is allowed has its effect, and one that is forbidden is refused.
// Other notations of forbidden addresses, and redirects to them, are in server/src/outbound/hostile-addresses.test.ts.

const ownPort = workerPort();
const image = await picture({ width: 640, height: 480 }, 'png');
/** Receives webhooks and serves the image, at the address that the service may call. */
const allowed = await startWebhookReceiver(ownPort);
/** The same port at an address that the service must never call; a request here means that the guard failed. */
const forbidden = await startImageServer(ownPort, '127.0.0.2', image);
afterAll(() => Promise.all([allowed.close(), forbidden.close()]));

/** Renders the videos that begin with an image. */
const rendering = clientFor(inject('world').testKey);
/** Tasks of this project never start. */
const { client: waiting } = await ownProject('named-addresses', neverRunning);

const native = { prompt: 'A paper boat', ...smallestVideo };
const openAi = { prompt: 'A paper boat', seconds: '1', size: '480x480' };
const withImage = { ...native, image_url: sampleImage(1) };

interface Field {
  operation: string;
  /** The name as it is in a form; in JSON, `a[b]` is an object. */
  field: string;
  /** The other fields of the request. */
  others: Record<string, string | number>;
  encoding: 'json' | 'form';
  use: 'image' | 'callback' | 'endpoint';
}

const fields = [
  { operation: 'POST /v1/videos/image-to-video', field: 'image_url', others: native, use: 'image' },
  { operation: 'POST /v1/videos', field: 'input_reference', others: openAi, use: 'image' },
  { operation: 'POST /v1/videos', field: 'input_reference[image_url]', others: openAi, use: 'image' },
  { operation: 'POST /v1/videos', field: 'input_reference', others: openAi, use: 'image', encoding: 'form' },
  { operation: 'POST /v1/videos', field: 'input_reference[image_url]', others: openAi, use: 'image', encoding: 'form' },
  { operation: 'POST /v1/videos/text-to-video', field: 'callback_url', others: native, use: 'callback' },
  { operation: 'POST /v1/videos/image-to-video', field: 'callback_url', others: withImage, use: 'callback' },
  { operation: 'POST /v1/videos', field: 'callback_url', others: openAi, use: 'callback' },
  { operation: 'POST /v1/videos', field: 'callback_url', others: openAi, use: 'callback', encoding: 'form' },
  { operation: 'POST /v1/webhook-endpoints', field: 'url', others: {}, use: 'endpoint' },
  { operation: 'PATCH /v1/webhook-endpoints/{endpoint_id}', field: 'url', others: {}, use: 'endpoint' },
].map((row) => ({ encoding: 'json', ...row }) as Field);

/** Fields that are read, but whose addresses are never called. */
const neverCalled = [
  'POST /v1/videos/text-to-video image_url',
  'POST /v1/videos/estimate image_url',
  'POST /v1/videos/estimate callback_url',
];

let paths = 0;
const newPath = (): string => `/named-${(paths += 1)}`;

/** What the tests read of a response: a task, a webhook endpoint or an error. */
type Answer = Pick<Task, 'task_id'> & Pick<WebhookEndpoint, 'id' | 'url'> & { error?: ErrorBody['error'] | null };

/** Sends the request with this address; `endpointId` is that of the webhook endpoint in the path. */
async function send(
  client: typeof waiting,
  { operation, field, others, encoding }: Field,
  address: string,
  endpointId: string,
): Promise<{ status: number; body: Answer }> {
  const [method = '', path = ''] = operation.split(' ');
  const response = await client.fetch(path.replace('{endpoint_id}', endpointId), {
    method,
    ...(encoding === 'form' ? { body: formOf({ ...others, [field]: address }) } : jsonOf(others, field, address)),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

function formOf(values: Record<string, string | number>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, String(value));
  return form;
}

function jsonOf(others: object, field: string, address: string): RequestInit {
  const [, outer = '', inner] = /^(\w+)(?:\[(\w+)\])?$/.exec(field) ?? [];
  const body = { ...others, [outer]: inner === undefined ? address : { [inner]: address } };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Creates a webhook endpoint at an allowed address, for a request that changes it. */
async function newEndpoint(): Promise<{ id: string; path: string }> {
  const path = newPath();
  const request = { url: allowed.url(path), events: ['video.failed'] };
  const created = await waiting.post<IssuedWebhookEndpoint>('/v1/webhook-endpoints', request);
  expect(created.status).toBe(200);
  return { id: created.body.id, path };
}

/** Waits for an event of this type at a path. */
const eventAt = (path: string, type: Event['type'] | 'webhook.test'): Promise<Event> =>
  eventually(`${type} at ${path}`, () =>
    allowed
      .received(path)
      .map(({ body }) => JSON.parse(body) as Event)
      .find((event) => event.type === type),
  );

/** Waits until an address that was accepted has had its effect. */
const effects: Record<Field['use'], (answer: Answer, path: string) => Promise<void>> = {
  async image({ task_id: taskId }) {
    const { end } = await rendering.follow(taskId);
    expect(end).toMatchObject({ status: 'completed', error: null, image: { width: 640, height: 480 } });
    const [video, source] = [await save((await download(end.video_url)).bytes, 'mp4'), await save(image, 'png')];
    expect(await firstFrameSsim(video, source, { fit: 'crop' })).toBeGreaterThanOrEqual(0.9);
  },
  async callback({ task_id: taskId }, path) {
    await waiting.cancel(taskId);
    expect(await eventAt(path, 'video.cancelled')).toMatchObject({ data: { task_id: taskId, status: 'cancelled' } });
  },
  async endpoint({ id, url }, path) {
    expect(url).toBe(allowed.url(path));
    const sent = await waiting.post<WebhookDelivery>(`/v1/webhook-endpoints/${id}/test`);
    expect(await eventAt(path, 'webhook.test')).toMatchObject({ id: sent.body.event_id, data: { endpoint_id: id } });
  },
};

test.each(fields)('$operation uses an allowed address in $field ($encoding)', async (row) => {
  const former = await newEndpoint();
  const path = newPath();
  if (row.use === 'image') allowed.respondWith(path, (response) => void response.writeHead(200).end(image));
  const { status, body } = await send(row.use === 'image' ? rendering : waiting, row, allowed.url(path), former.id);
  expect({ status, error: body.error }).toEqual({ status: 200, error: row.use === 'endpoint' ? undefined : null });
  await effects[row.use](body, path);
  // An endpoint whose address was changed is not called at its former one.
  expect(allowed.received(former.path)).toEqual([]);
  await waiting.delete(`/v1/webhook-endpoints/${former.id}`);
});

test.each(fields)('$operation refuses a forbidden address in $field ($encoding), and nothing changes', async (row) => {
  const { id } = await newEndpoint();
  const state = async () => ({
    tasks: (await waiting.list()).map(({ task_id: taskId }) => taskId),
    endpoints: await waiting.all<WebhookEndpoint>('/v1/webhook-endpoints'),
  });
  const before = await state();
  const { status, body } = await send(waiting, row, forbidden.url(newPath()), id);
  const param = row.field.replace(/\[.*/, '');
  expect({ status, ...body.error }).toMatchObject(
    row.use === 'image'
      ? { status: 400, code: 'image_forbidden_address', param }
      : { status: 400, code: 'invalid_parameter', param, details: [{ param, code: 'not_allowed' }] },
  );
  expect(await state()).toEqual(before);
  expect(forbidden.requestedPaths).toEqual([]);
  await waiting.delete(`/v1/webhook-endpoints/${id}`);
});

test('text-to-video ignores image_url, and an estimate calls no address', async () => {
  const path = newPath();
  const ignored = await waiting.post('/v1/videos/text-to-video', { ...native, image_url: forbidden.url(path) });
  expect(ignored.body.warnings).toMatchObject([{ code: 'ignored_parameter', param: 'image_url' }]);
  const estimate = async (addresses: object) => {
    const { status, body } = await waiting.post<ErrorBody>('/v1/videos/estimate', { ...native, ...addresses });
    return [status, ...(body.error?.details ?? []).map(({ param, code }) => `${param} ${code}`)];
  };
  const url = allowed.url(path);
  expect(await estimate({ image_url: url, callback_url: url })).toEqual([200]);
  expect(await estimate({ image_url: 'ftp://127.0.0.1/', callback_url: forbidden.url(path) })).toEqual([
    400,
    'image_url not_allowed',
    'callback_url not_allowed',
  ]);
  expect([allowed.received(path), forbidden.requestedPaths]).toEqual([[], []]);
});

test('every field of the API that takes an address is tested here', async () => {
  const { paths: described, components } = await readOpenapi();
  const schemas = components.schemas as Record<string, { properties?: object }>;
  const named = Object.entries(described as Record<string, Record<string, { requestBody?: object }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody = {} }]) =>
        [...JSON.stringify(requestBody).matchAll(/#\/components\/schemas\/(\w+)/g)]
          .flatMap(([, name = '']) => Object.keys(schemas[name]?.properties ?? {}))
          .filter((property) => /(^|_)(url|uri|address|reference)$/.test(property))
          .map((property) => `${method.toUpperCase()} ${path} ${property}`),
      ),
  );
  const tested = fields.map(({ operation, field }) => `${operation} ${field.replace(/\[.*/, '')}`);
  expect(new Set([...tested, ...neverCalled])).toEqual(new Set(named));
});
