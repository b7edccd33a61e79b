import type { Installation } from './installation.ts';
import { pathFor, type Shape, shapes, type Things, unknownThings } from './operation-requests.ts';
import { type ApiResponse, send } from './send-request.ts';

interface Caller {
  url: string;
  key: string;
}

/** Requests an operation by its name (`GET /v1/videos/{task_id}`), by default with the query and body of its shape. */
export function requestOperation(
  { url, key }: Caller,
  name: string,
  things: Things = unknownThings,
  shape: Shape = shapes[name] ?? {},
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const [method = '', path = ''] = name.split(' ');
  return send(url + pathFor(path, things, shape.query), method, `Bearer ${key}`, shape, headers);
}

/** Requests an operation in the same way, and throws unless it succeeds. */
export async function insistOperation<Body>(...request: Parameters<typeof requestOperation>): Promise<Body> {
  const { status, body } = await requestOperation(...request);
  if (status >= 300) throw new Error(`${request[1]} returned ${status}: ${body}`);
  return JSON.parse(body) as Body; // as the contract describes it
}

/** Creates one task, file, webhook endpoint or key. */
export async function makeThing(caller: Caller, kind: NonNullable<Shape['usesUp']>): Promise<Partial<Things>> {
  const id = async (name: string) => (await insistOperation<{ id: string }>(caller, name)).id;
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
export async function makeThings(caller: Caller): Promise<Things> {
  const kinds = ['task', 'file', 'endpoint', 'key'] as const;
  const made = await Promise.all(kinds.map((kind) => makeThing(caller, kind)));
  const things: Things = Object.assign({}, unknownThings, ...made);
  await requestOperation(caller, 'POST /v1/webhook-endpoints/{endpoint_id}/test', things);
  const { data } = await insistOperation<{ data: { id: string }[] }>(caller, 'GET /v1/webhook-deliveries');
  return { ...things, delivery_id: data[0]?.id ?? unknownThings.delivery_id };
}

/** Runs a task of the seeded project's live key to completion. After that, no task of the project starts any more. */
export async function makeCompletedTask(installation: Installation): Promise<string> {
  const caller = { url: installation.url, key: installation.liveKey };
  const prefer = { prefer: 'wait=60' };
  const name = 'POST /v1/videos/text-to-video';
  const task = await insistOperation<{ task_id: string; status: string }>(
    caller,
    name,
    unknownThings,
    shapes[name],
    prefer,
  );
  if (task.status !== 'completed') throw new Error(`the task is ${task.status}`);
  await installation.setLimits({ running: 0 });
  return task.task_id;
}
