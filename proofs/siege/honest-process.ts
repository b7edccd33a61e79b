import { Agent, request as startRequest } from 'node:http';
import { bearer } from '@kinora/stack/harness/api-client';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import type { HonestOrders } from './honest-tenant.ts';
import type { HonestRequest } from './siege-evidence.ts';

// The honest tenant sends at a fixed rate from its own process. A latency counts from when its request was due, so that
// a service that stalls cannot hide the requests that had to wait (coordinated omission).

const timeoutMilliseconds = 10_000;
const tickMilliseconds = 2;
const agent = new Agent({ keepAlive: true });
const requests: HonestRequest[] = [];
const running = new Set<Promise<void>>();
/** Tasks that it created lately; it reads them like those of the past. */
const createdIds: string[] = [];
let timer: NodeJS.Timeout | undefined;

process.on('message', (message: { kind: 'start'; orders: HonestOrders } | { kind: 'collect' }) => {
  if (message.kind === 'start') start(message.orders);
  else void collect();
});
process.once('disconnect', () => process.exit(0));

function start(orders: HonestOrders): void {
  const { rates } = orders;
  const startedAt = performance.now();
  const sent = { read: 0, create: 0 };
  timer = setInterval(() => {
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    for (const kind of ['read', 'create'] as const) {
      for (; sent[kind] <= elapsedSeconds * rates[kind]; sent[kind] += 1) {
        const plannedAt = performance.timeOrigin + startedAt + (sent[kind] / rates[kind]) * 1000;
        const sending = send(orders, kind === 'read' ? readOf(orders, sent.read) : createOf(sent.create), plannedAt);
        running.add(sending);
        void sending.then(() => running.delete(sending));
      }
    }
  }, tickMilliseconds);
}

async function collect(): Promise<void> {
  clearInterval(timer);
  await Promise.all(running);
  process.send?.({ kind: 'collected', requests }, () => process.exit(0));
}

interface Sent {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

/** Of 20 reads, 15 are of tasks and 2 are downloads; the others are a list, a usage query and the limits. */
function readOf({ taskIds }: HonestOrders, number: number): Sent {
  const get = (name: string, path: string): Sent => ({ name, method: 'GET', path });
  const ids = number % 2 === 0 && createdIds.length > 0 ? createdIds : taskIds;
  const taskId = ids[number % ids.length] ?? '';
  switch (number % 20) {
    case 3:
    case 13:
      return get('download', `/v1/videos/${taskIds[number % taskIds.length]}/content`);
    case 7:
      return get('list', '/v1/videos?limit=20');
    case 11:
      return get('usage', '/v1/usage');
    case 17:
      return get('limits', '/v1/limits');
    default:
      return get('read', `/v1/videos/${taskId}`);
  }
}

/** One create of 20 has an image, so that the honest tenant also needs the decoders and writes to the store. */
function createOf(number: number): Sent {
  const fields = { prompt: 'A lighthouse at dusk', resolution: '480p', duration: 1 };
  const create = (name: string, path: string, body: object): Sent => ({
    name,
    method: 'POST',
    path,
    body: JSON.stringify(body),
  });
  if (number % 20 !== 9) return create('create', '/v1/videos/text-to-video', fields);
  return create('create with image', '/v1/videos/image-to-video', { ...fields, image_url: image });
}
const image = sampleImage(1);

async function send({ url, key }: HonestOrders, sent: Sent, plannedAt: number): Promise<void> {
  const { name, method, path, body } = sent;
  const headers = {
    ...bearer(key),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  };
  await new Promise<void>((resolve) => {
    let isOver = false;
    const end = (status: number): void => {
      if (!isOver) requests.push({ name, plannedAt, endedAt: performance.timeOrigin + performance.now(), status });
      isOver = true;
      resolve();
    };
    const fail = (): void => end(0);
    // oxlint-disable-next-line kinora/no-time-judgement -- the siege proof is nightly and judges times
    const options = { agent, method, headers, signal: AbortSignal.timeout(timeoutMilliseconds) };
    const outgoing = startRequest(url + path, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        if (name === 'create' && response.statusCode === 200) remember(Buffer.concat(chunks).toString('utf8'));
        end(response.statusCode ?? 0);
      });
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

function remember(created: string): void {
  createdIds.push((JSON.parse(created) as { task_id: string }).task_id); // as the contract describes it
  if (createdIds.length > 100) createdIds.shift();
}
