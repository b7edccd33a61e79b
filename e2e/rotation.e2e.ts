import { type ApiClient, createApiClient, type Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { namesOfPageCommands } from '@kinora/stack/harness/page-commands';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd } from '@kinora/stack/harness/task-waits';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallbackSecret, IssuedWebhookEndpoint, WebhookDelivery } from '../sdk/src/generated/types.ts';
import { type Member, type RotationWorld, rotationPage, startRotationWorld } from './rotation-world.ts';

let world: RotationWorld;
let clients: ApiClient[];
/** A task with a video, whose URLs the test keeps. */
let task: Task;
const ran: string[] = [];
/** The order of every rolling restart: at first one new API process beside the old ones, then a new worker as well. */
const members: Member[] = [
  { role: 'api', copy: 0 },
  { role: 'worker', copy: 0 },
  { role: 'relay', copy: 0 },
  { role: 'api', copy: 1 },
];
/** The key that each API process signs with. */
const signingKeys = ['', ''];
/** The signed URLs that callers hold, by the key that signed them. */
const urls = new Map<string, string[]>();

beforeAll(async () => {
  world = await startRotationWorld();
  clients = world.apis.map((url) => createApiClient({ url, key: world.installation.testKey, patientWith: [429] }));
  signingKeys.fill(firstKey());
});
afterAll(() => world?.close());

const firstKey = (): string => world.keys()[0] ?? '';
const at = (index: number): ApiClient => {
  const client = clients[index];
  if (!client) throw new Error('there is no such API process');
  return client;
};

async function runPage(name: string): Promise<string> {
  ran.push(name);
  return world.runPage(name);
}

let paths = 0;

/** Creates an endpoint for test events only at one of the API processes, which encrypts its secret with its first key. */
async function newEndpoint(index: number) {
  const path = `/endpoint-${(paths += 1)}`;
  const fields = { url: world.receiver.url(path), events: ['video.failed'] };
  const { status, body } = await at(index).post<IssuedWebhookEndpoint>('/v1/webhook-endpoints', fields);
  expect(status).toBe(200);
  return { id: body.id, path, secrets: [body.secret] };
}
type Endpoint = Awaited<ReturnType<typeof newEndpoint>>;

/** Sends a test event and expects one webhook that verifies with each secret of the endpoint. */
async function expectWebhook(index: number, { id, path, secrets }: Endpoint): Promise<void> {
  const count = world.receiver.received(path).length;
  const sent = await at(index).post<WebhookDelivery>(`/v1/webhook-endpoints/${id}/test`);
  expect(sent.status).toBe(200);
  const received = await eventually(`a webhook at ${path}`, async () => world.receiver.received(path)[count]);
  for (const secret of secrets)
    expect(new Webhook(secret).verify(received.body, received.headers)).toMatchObject({ id: sent.body.event_id });
}

/** Runs a task with a callback and expects the callback's signature to verify. */
async function expectCallback(): Promise<Task> {
  const path = `/callback-${(paths += 1)}`;
  const fields = { ...smallestVideo, prompt: 'A lighthouse', callback_url: world.receiver.url(path) };
  const ended = await runToEnd(at(0), { ...fields, callback_events: ['video.completed'] });
  const received = await eventually('the callback', async () => world.receiver.received(path)[0]);
  const { body } = await at(1).get<CallbackSecret>('/v1/webhook-endpoints/callback-secret');
  expect(new Webhook(body.secret).verify(received.body, received.headers)).toMatchObject({ type: 'video.completed' });
  return ended;
}

/** Takes a signed URL from each API process, and expects both to accept every URL of these keys. */
async function expectUrls(acceptedKeys: readonly string[]): Promise<void> {
  for (const [index, key] of signingKeys.entries()) {
    const { video_url: url } = await at(index).read(task.task_id);
    urls.set(key, [...(urls.get(key) ?? []), url ?? '']);
  }
  for (const [key, signed] of urls)
    for (const url of signed) {
      const { pathname, search } = new URL(url);
      for (const api of world.apis) {
        const response = await fetch(`${api}${pathname}${search}`, { headers: { range: 'bytes=0-0' } });
        await response.body?.cancel();
        expect(response.status).toBe(acceptedKeys.includes(key) ? 206 : 403);
      }
    }
}

/** Restarts the processes one by one, and expects everything to work after each restart. */
async function rollingRestart(veterans: readonly Endpoint[], acceptedKeys: readonly string[]): Promise<void> {
  for (const member of members) {
    await world.restart(member);
    if (member.role === 'api') signingKeys[member.copy] = firstKey();
    await expectAllWorks(veterans, acceptedKeys);
  }
}

async function expectAllWorks(veterans: readonly Endpoint[], acceptedKeys: readonly string[]): Promise<void> {
  for (const index of world.apis.keys()) {
    const fresh = await newEndpoint(index);
    // The other process requests the event, so each reads what the other one has encrypted.
    await expectWebhook(1 - index, fresh);
    await at(1 - index).delete(`/v1/webhook-endpoints/${fresh.id}`);
  }
  for (const [index, veteran] of veterans.entries()) await expectWebhook(index % 2, veteran);
  await expectUrls(acceptedKeys);
}

async function storedSecrets(state: string): Promise<number> {
  const text = await (await fetch(world.relayMetricsUrl)).text();
  return Number(new RegExp(`^kinora_stored_secrets\\{state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1]);
}

describe('a key is replaced as the page says', () => {
  let oldKey: string;
  let newKey: string;
  /** Endpoints from before the rotation; the second one has a previous secret that signs as well. */
  let veterans: Endpoint[];

  test('before the rotation, webhooks verify and signed URLs work', async () => {
    oldKey = firstKey();
    expect(world.keys()).toEqual([oldKey]);
    task = await expectCallback();
    veterans = [await newEndpoint(0), await newEndpoint(1)];
    const [, overlapping] = veterans;
    const path = `/v1/webhook-endpoints/${overlapping?.id}/rotate-secret`;
    overlapping?.secrets.push((await at(0).post<IssuedWebhookEndpoint>(path)).body.secret);
    await expectAllWorks(veterans, [oldKey]);
  });

  test('while the new key is added behind the old one, webhooks verify and signed URLs work after each restart', async () => {
    await runPage('add-key');
    expect(world.keys()).toEqual([oldKey, expect.stringMatching(/^[\w-]{43}$/)]);
    newKey = world.keys()[1] ?? '';
    await rollingRestart(veterans, [oldKey]);
    await expectCallback();
  });

  test('while the new key takes the first place, webhooks verify and signed URLs work after each restart', async () => {
    await runPage('use-key');
    expect(world.keys()).toEqual([newKey, oldKey]);
    await rollingRestart(veterans, [newKey, oldKey]);
    await expectCallback();
    // Two endpoints and a callback secret.
    await eventually(
      'the relay counts the rows under the old key',
      async () => (await storedSecrets('other_key')) === 3,
    );
  });

  test('before the rewrap, a process without the old key does not start, and the others still deliver', async () => {
    await world.setKeys([newKey]);
    const restarted = world.restart({ role: 'api', copy: 1 });
    await expect(restarted).rejects.toThrow('KINORA_SECRET_KEYS lacks the key of 3 stored');
    for (const veteran of veterans) await expectWebhook(0, veteran);
    await world.setKeys([newKey, oldKey]);
    await world.restart({ role: 'api', copy: 1 });
  });

  test('the rewrap runs beside all processes, and again without effect', async () => {
    expect(await runPage('rewrap')).toBe('3 rows encrypted with the first key\n');
    expect(await runPage('rewrap')).toBe('0 rows encrypted with the first key\n');
    await expectAllWorks(veterans, [newKey, oldKey]);
    await expectCallback();
  });

  test('while the old key is removed, webhooks verify after each restart, and signed URLs of the new key work', async () => {
    // The page says to wait for 2 h first. The URLs that the old key signed would have expired by then.
    await runPage('remove-key');
    expect(world.keys()).toEqual([newKey]);
    for (const member of members) {
      await world.restart(member);
      for (const [index, veteran] of veterans.entries()) await expectWebhook(index, veteran);
    }
    await expectAllWorks(veterans, [newKey]);
    await expectCallback();
    expect([await storedSecrets('other_key'), await storedSecrets('unreadable')]).toEqual([0, 0]);
  });
});

test('after the loss of a key, the page brings webhooks back with new secrets', async () => {
  const [endpoint, before] = [
    await newEndpoint(0),
    await at(0).get<CallbackSecret>('/v1/webhook-endpoints/callback-secret'),
  ];
  await world.setKeys(['g3Vx0QmZ7sT1kLw9Ry5Nf2Hb8Jd4Pc6u']);
  await expect(world.restart({ role: 'worker', copy: 0 })).rejects.toThrow('secrets rewrap --replace-lost');
  expect(await runPage('replace-lost')).toContain(`webhook_endpoints ${endpoint.id} has a new secret`);
  for (const member of members) await world.restart(member);
  const { body } = await at(0).post<IssuedWebhookEndpoint>(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`);
  await expectWebhook(1, { ...endpoint, secrets: [body.secret] });
  await expectCallback();
  const after = await at(1).get<CallbackSecret>('/v1/webhook-endpoints/callback-secret');
  expect(after.body.secret).not.toBe(before.body.secret);
});

test('these tests run every block of commands on the page', () => {
  expect([...new Set(ran)].toSorted()).toEqual(namesOfPageCommands(rotationPage).toSorted());
});
