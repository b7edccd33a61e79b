import { hangLimitMilliseconds } from '../hang-limit.ts';
import { createApiClient } from './api-client.ts';
import type { Installation } from './installation.ts';
import { type ObjectIds, type OperationRequest, operationRequests, pathFor, unknownIds } from './operation-requests.ts';
import { pause } from './pause.ts';
import { type ApiResponse, send } from './send-request.ts';
import { runToEnd } from './task-waits.ts';

interface Caller {
  url: string;
  key: string;
}

/** What the API says in Retry-After if Postgres did not respond in time. */
const busyMilliseconds = 1_000;

/** Calls an operation by its name, by default with its request in `operationRequests`; repeats it after a 503. */
export async function callOperation(
  { url, key }: Caller,
  name: string,
  ids: ObjectIds = unknownIds,
  request: OperationRequest = operationRequests[name] ?? {},
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const [method = '', path = ''] = name.split(' ');
  const deadline = Date.now() + hangLimitMilliseconds;
  for (;;) {
    const response = await send(url + pathFor(path, ids, request.query), method, `Bearer ${key}`, request, headers);
    if (response.status !== 503 || Date.now() > deadline) return response;
    await pause(busyMilliseconds);
  }
}

/** Calls an operation in the same way, and throws unless it succeeds. */
export async function callOperationOrThrow<Body>(...parameters: Parameters<typeof callOperation>): Promise<Body> {
  const { status, body } = await callOperation(...parameters);
  if (status >= 300) throw new Error(`${parameters[1]} returned ${status}: ${body}`);
  return JSON.parse(body) as Body; // as the contract describes it
}

/** Creates one task, file, webhook endpoint or key. */
export async function createObject(
  caller: Caller,
  kind: NonNullable<OperationRequest['consumes']>,
): Promise<Partial<ObjectIds>> {
  const id = async (name: string) => (await callOperationOrThrow<{ id: string }>(caller, name)).id;
  switch (kind) {
    case 'task':
      return { task_id: await id('POST /v1/videos/text-to-video') };
    case 'file':
      return { file_id: await id('POST /v1/files') };
    case 'endpoint':
      return { endpoint_id: await id('POST /v1/webhook-endpoints') };
    case 'key':
      return { key_id: await id('POST /v1/api-keys') };
  }
}

/** Creates a task, a file, a webhook endpoint, a key and a delivery. */
export async function createObjects(caller: Caller): Promise<ObjectIds> {
  const kinds = ['task', 'file', 'endpoint', 'key'] as const;
  const made = await Promise.all(kinds.map((kind) => createObject(caller, kind)));
  const ids: ObjectIds = Object.assign({}, unknownIds, ...made);
  await callOperation(caller, 'POST /v1/webhook-endpoints/{endpoint_id}/test', ids);
  const { data } = await callOperationOrThrow<{ data: { id: string }[] }>(caller, 'GET /v1/webhook-deliveries');
  return { ...ids, delivery_id: data[0]?.id ?? unknownIds.delivery_id };
}

/** Runs a task of the seeded project's live key to completion. After that, no task of the project starts any more. */
export async function makeCompletedTask(installation: Installation): Promise<string> {
  const api = createApiClient({ url: installation.url, key: installation.liveKey, patientWith: [503] });
  const { body } = operationRequests['POST /v1/videos/text-to-video'] ?? {};
  const task = await runToEnd(api, { ...Object(body) });
  if (task.status !== 'completed') throw new Error(`the task is ${task.status}`);
  await installation.setLimits({ running: 0 });
  return task.task_id;
}
