import type { Installation } from './installation.ts';
import { pathFor, type Shape, shapes, type Things, unknownThings } from './operation-requests.ts';
import { type ApiResponse, send } from './send-request.ts';

interface Asker {
  url: string;
  key: string;
}

/** Asks for an operation by its name (`GET /v1/videos/{task_id}`), as its shape says unless told otherwise. */
export function askOperation(
  { url, key }: Asker,
  name: string,
  things: Things = unknownThings,
  shape: Shape = shapes[name] ?? {},
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const [method = '', path = ''] = name.split(' ');
  return send(url + pathFor(path, things, shape.query), method, `Bearer ${key}`, shape, headers);
}

/** The same; throws unless it succeeds. */
export async function insistOperation<Body>(...asked: Parameters<typeof askOperation>): Promise<Body> {
  const { status, body } = await askOperation(...asked);
  if (status >= 300) throw new Error(`${asked[1]} returned ${status}: ${body}`);
  return JSON.parse(body) as Body; // as the contract says
}

/** Makes a thing of one kind. */
export async function makeThing(asker: Asker, kind: NonNullable<Shape['usesUp']>): Promise<Partial<Things>> {
  const id = async (name: string) => (await insistOperation<{ id: string }>(asker, name)).id;
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

/** Makes one thing of every kind. */
export async function makeThings(asker: Asker): Promise<Things> {
  const kinds = ['task', 'file', 'endpoint', 'key'] as const;
  const made = await Promise.all(kinds.map((kind) => makeThing(asker, kind)));
  const things: Things = Object.assign({}, unknownThings, ...made);
  await askOperation(asker, 'POST /v1/webhook-endpoints/{endpoint_id}/test', things);
  const { data } = await insistOperation<{ data: { id: string }[] }>(asker, 'GET /v1/webhook-deliveries');
  return { ...things, delivery_id: data[0]?.id ?? unknownThings.delivery_id };
}

/** A task that has completed, made by the seeded project's live key. From then on nothing runs any more. */
export async function makeCompletedTask(installation: Installation): Promise<string> {
  const asker = { url: installation.url, key: installation.liveKey };
  const prefer = { prefer: 'wait=60' };
  const name = 'POST /v1/videos/text-to-video';
  const task = await insistOperation<{ task_id: string; status: string }>(
    asker,
    name,
    unknownThings,
    shapes[name],
    prefer,
  );
  if (task.status !== 'completed') throw new Error(`the task is ${task.status}`);
  await installation.setLimits({ running: 0 });
  return task.task_id;
}
