import { randomBytes } from 'node:crypto';
import { callOperation } from '@kinora/stack/harness/create-objects';
import { eventually } from '@kinora/stack/harness/eventually';
import type { Installation } from '@kinora/stack/harness/installation';
import type { Operation } from '@kinora/stack/harness/openapi-operations';
import {
  type ObjectIds,
  type OperationRequest,
  operationRequests,
  pathFor,
  unknownIds,
} from '@kinora/stack/harness/operation-requests';
import { imageBytes } from '@kinora/stack/harness/sample-image';
import { type ApiResponse, send } from '@kinora/stack/harness/send-request';
import type { WebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import type { Control, Place, Planted } from './search.ts';

interface Parts {
  installation: Installation;
  operations: readonly Operation[];
  receiver: WebhookReceiver;
  /** Secrets that were planted on purpose and that responses repeat. */
  controls: readonly Control[];
  report: (line: string) => void;
}

const everywhere: readonly Place[] = ['log', 'database', 'history'];
const notInDatabase: readonly Place[] = ['log', 'history'];

/** Sends valid and invalid requests to every operation, with values that the search looks for afterwards. */
export async function drive({ installation, operations, receiver, controls, report }: Parts) {
  const { url, liveKey, testKey } = installation;
  const planted: Planted[] = [];
  const driven = new Set<string>();
  let requests = 0;
  const plant = (what: string, forbiddenIn: readonly Place[], length = 12): string => {
    const value = `planted-${randomBytes(length).toString('hex')}`;
    planted.push({ what, value, forbiddenIn });
    return value;
  };
  const excused = new Set(controls.map(({ value }) => value));
  const remember = (what: string, value: string): void => {
    if (!excused.has(value)) planted.push({ what, value, forbiddenIn: everywhere });
  };
  remember('the live key', liveKey);
  remember('the test key', testKey);

  const call = async (
    name: string,
    ids: ObjectIds,
    request: OperationRequest = operationRequests[name] ?? {},
    key = liveKey,
  ): Promise<ApiResponse> => {
    const response = await callOperation({ url, key }, name, ids, request);
    requests += 1;
    if (response.status < 300) driven.add(name);
    for (const secret of secretsIn(response.body)) remember('a secret in a response', secret);
    return response;
  };
  const callOrThrow = async <Body>(
    name: string,
    ids: ObjectIds,
    request?: OperationRequest,
    key = liveKey,
  ): Promise<Body> => {
    const response = await call(name, ids, request, key);
    if (response.status >= 300) throw new Error(`${name} responded with ${response.status}: ${response.body}`);
    return JSON.parse(response.body) as Body; // The OpenAPI file describes it.
  };

  // The first delivery to each URL fails, so that retries are searched too.
  const hook = (name: string): string => {
    const path = `/${name}?token=${plant(`a token in a ${name} URL`, notInDatabase)}`;
    receiver.respondWith(path, 500, 200);
    return receiver.url(path);
  };
  const endpoint = await callOrThrow<{ id: string }>('POST /v1/webhook-endpoints', unknownIds, {
    body: { url: hook('webhook') },
  });
  const file = await callOrThrow<{ id: string }>('POST /v1/files', unknownIds);
  const key = await callOrThrow<{ id: string }>('POST /v1/api-keys', unknownIds);
  const ids: ObjectIds = { ...unknownIds, endpoint_id: endpoint.id, file_id: file.id, key_id: key.id };

  // Tasks that complete, fail or are cancelled. The values of a deleted task must not remain anywhere.
  const task = async (name: string, more: object, isDeleted: boolean, apiKey = liveKey): Promise<string> => {
    const secret = (what: string): string => plant(what, isDeleted ? everywhere : notInDatabase);
    const body = {
      prompt: `${secret('a prompt')} ${'outcome' in more ? String(more.outcome) : ''}`,
      negative_prompt: secret('a negative prompt'),
      metadata: { note: secret('metadata') },
      resolution: '480p',
      duration: 1,
      callback_url: hook('callback'),
      ...more,
    };
    return (await callOrThrow<{ task_id: string }>(name, ids, { body }, apiKey)).task_id;
  };
  const imagePath = `/image.png?token=${plant('a token in an image URL', everywhere)}`;
  receiver.respondWith(imagePath, (response) => response.end(imageBytes(3)));
  const image = { image_url: receiver.url(imagePath) };
  const kept = await task('POST /v1/videos/text-to-video', {}, false);
  const deleted = await task('POST /v1/videos/image-to-video', image, true);
  const ofFile = await task('POST /v1/videos/image-to-video', { image_url: file.id }, true);
  const failing = await task(
    'POST /v1/videos/text-to-video',
    { outcome: '[[fail:engine_rejected_input]]' },
    true,
    testKey,
  );
  const cancelled = await task('POST /v1/videos/text-to-video', {}, true);
  await call('POST /v1/videos/{task_id}/cancel', { ...ids, task_id: cancelled });
  report('all tasks are created');

  const isFinal = async (taskId: string, apiKey = liveKey): Promise<boolean> =>
    (await callOrThrow<{ is_final: boolean }>('GET /v1/videos/{task_id}', { ...ids, task_id: taskId }, {}, apiKey))
      .is_final;
  const areFinal = async (): Promise<boolean> => {
    const ends = [await isFinal(kept), await isFinal(deleted), await isFinal(ofFile), await isFinal(failing, testKey)];
    return ends.every(Boolean);
  };
  await eventually('the end of all tasks', areFinal);
  ids.task_id = kept;
  await call('POST /v1/webhook-endpoints/{endpoint_id}/test', ids);
  ids.delivery_id =
    (await callOrThrow<{ data: { id: string }[] }>('GET /v1/webhook-deliveries', ids)).data[0]?.id ?? '';

  // Valid and invalid requests to every operation; DELETE comes last, because it removes what the others need.
  const inOrder = operations.toSorted(
    (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
  );
  for (const { name, method, path, needsKey } of inOrder) {
    const request = operationRequests[name] ?? {};
    if (method !== 'DELETE') await call(name, ids, request);
    if (!needsKey || method === 'DELETE') continue;
    const wrongKey = `kin_live_${randomBytes(18).toString('hex')}`;
    remember('a key that does not exist', wrongKey);
    await call(name, ids, request, wrongKey);
    const broken = `{"prompt": "${plant('a prompt in broken JSON', everywhere)}", "key": "${liveKey}"`;
    await send(url + pathFor(path, ids), method, `Bearer ${liveKey}`, { body: broken });
    await send(
      `${url}${pathFor(path, ids)}?signature=${plant('a wrong signature', everywhere)}&expires=1&variant=video`,
      method,
      null,
      {},
    );
    requests += 2;
  }
  for (const taskId of [deleted, ofFile, cancelled])
    await call('DELETE /v1/videos/{task_id}', { ...ids, task_id: taskId });
  await call('DELETE /v1/videos/{task_id}', { ...ids, task_id: failing }, {}, testKey);
  const query = '?status=pending';
  const pending = () => callOrThrow<{ data: unknown[] }>('GET /v1/webhook-deliveries', ids, { query });
  await eventually('no pending deliveries', async () => (await pending()).data.length === 0);
  for (const name of [
    'DELETE /v1/files/{file_id}',
    'DELETE /v1/webhook-endpoints/{endpoint_id}',
    'DELETE /v1/api-keys/{key_id}',
  ]) {
    await call(name, ids);
  }
  for (const { body } of receiver.all) {
    for (const secret of secretsIn(body)) remember('a signature in a webhook', secret);
  }
  report(`${requests} requests, ${planted.length} values to search for`);
  return { planted, requests, undriven: operations.map(({ name }) => name).filter((name) => !driven.has(name)) };
}

/** Returns the keys, secrets and signatures in a text. */
function secretsIn(text: string): string[] {
  return [
    ...text.matchAll(
      /kin_(?:live|test)_[0-9A-Za-z]{36}|kin_token_[\w-]+\.[\w-]{43}|whsec_[A-Za-z0-9+/=]+|(?<=signature=)[A-Za-z0-9_-]{43}/g,
    ),
  ].map(([match]) => match);
}
