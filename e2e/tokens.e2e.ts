import { Kinora } from '@kinora/sdk';
import type { ErrorBody } from '@kinora/stack/harness/api-client';
import { forgedTokens } from '@kinora/stack/harness/forged-tokens';
import { operationsOf } from '@kinora/stack/harness/openapi-operations';
import { pathFor, unknownIds } from '@kinora/stack/harness/operation-requests';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { send } from '@kinora/stack/harness/send-request';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Token } from '../sdk/src/generated/types.ts';
import { describedResponses } from './described-responses.ts';
import { openEvents } from './event-source.ts';
import { command } from './operator-command.ts';
import { clientFor, createKey, ownProject } from './own-project.ts';

const { url } = inject('world');
const scopes = [
  'videos:read',
  'videos:write',
  'files:write',
  'usage:read',
  'webhooks:manage',
  'keys:manage',
  'audit:read',
] as const;

/** Its tasks never start. */
const own = await ownProject('tokens', neverRunning);
const task = await own.client.create({ prompt: 'A kite above the sea' });

/** Makes a token with a key, by default with the key of this file's project. */
async function newToken(body: object = {}, key = own.key): Promise<string> {
  return (await clientFor(key).post<Token>('/v1/tokens', body)).body.token;
}

/** Reads the task with a token; returns the status and the error code. */
async function readWith(token: string): Promise<string> {
  const { status, body } = await clientFor(token).get<Partial<ErrorBody>>(`/v1/videos/${task.task_id}`);
  return `${status} ${body.error?.code ?? ''}`.trim();
}

test('a token works like its key, for at most ten minutes and with the default scopes', async () => {
  const { check } = await describedResponses();
  const response = await own.client.post<Token>('/v1/tokens', {});
  const { body, headers } = response;
  check('Token')(body);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({ object: 'token', task_id: null, livemode: false });
  expect(body.scopes).toEqual(['videos:read', 'videos:write', 'files:write', 'usage:read']);
  expect(body.expires_at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 600);
  const client = clientFor(body.token);
  expect((await client.read(task.task_id)).task_id).toBe(task.task_id);
  const created = await client.create({ prompt: 'made with a token' });
  expect((await own.client.read(created.task_id)).prompt).toBe('made with a token');
});

test('a token of each scope reaches exactly the operations of that scope, and makes no token', async () => {
  const operations = operationsOf(await (await fetch(`${url}/openapi.json`)).json()).filter(({ needsKey }) => needsKey);
  expect(operations.length).toBeGreaterThan(35);
  const wrong: string[] = [];
  for (const scope of scopes) {
    const token = await newToken({ scopes: [scope] });
    for (const { name, method, path, scope: needed } of operations) {
      // Without a body, and with ids that do not exist, an operation that is allowed responds, but changes nothing.
      const { status, body } = await send(url + pathFor(path, unknownIds), method, `Bearer ${token}`, {});
      const isRefused = status === 403 && body.includes('insufficient_scope');
      if (isRefused === (scope === needed) || status === 401) wrong.push(`${name} with ${scope}: ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('a token can have no scope that its key lacks', async () => {
  const weak = await createKey(own.projectId, '--mode', 'test', '--scopes', 'videos:read');
  const refused = await clientFor(weak.key).post<ErrorBody>('/v1/tokens', { scopes: ['videos:read', 'videos:write'] });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope']);
  expect(await readWith(await newToken({}, weak.key))).toBe('200');
});

test('a token for one task reads, follows and cancels that task, and reaches nothing else', async () => {
  const other = await own.client.create({ prompt: 'another task' });
  const client = clientFor(await newToken({ task_id: other.task_id }));
  expect((await client.read(other.task_id)).task_id).toBe(other.task_id);
  for (const path of [`/v1/videos/${task.task_id}`, '/v1/videos', '/v1/events', '/v1/models', '/v1/limits']) {
    const { status, body } = await client.get<ErrorBody>(path);
    expect([path, status, body.error.code]).toEqual([path, 403, 'insufficient_scope']);
  }
  expect((await client.post<ErrorBody>('/v1/videos/text-to-video', { prompt: 'more' })).status).toBe(403);
  expect((await client.post(`/v1/videos/${other.task_id}/cancel`, {})).status).toBe(200);
  const foreign = await ownProject('tokens-other', neverRunning);
  const denied = await foreign.client.post<ErrorBody>('/v1/tokens', { task_id: task.task_id });
  expect([denied.status, denied.body.error.code]).toEqual([404, 'task_not_found']);
});

test('a token that was changed, cut, mixed or signed by somebody else is refused', async () => {
  const [token, other] = [await newToken(), await newToken({ scopes: ['keys:manage'] })];
  const outcomes = new Set<string>();
  for (const forged of forgedTokens(token, other)) outcomes.add(await readWith(forged));
  expect([...outcomes]).toEqual(['401 invalid_api_key']);
  expect(await readWith(token)).toBe('200');
});

test('a token dies at the next request with its key, and with its project', async () => {
  const { id, key } = await createKey(own.projectId, '--mode', 'test', '--name', 'to be revoked');
  const token = await newToken({}, key);
  expect(await readWith(token)).toBe('200');
  await command('keys', 'revoke', id);
  expect(await readWith(token)).toBe('401 revoked_api_key');
  const suspended = await ownProject('tokens-suspended', neverRunning);
  const ofSuspended = await newToken({}, suspended.key);
  expect(await readWith(ofSuspended)).toBe('404 task_not_found');
  await suspended.set('--suspend');
  expect(await readWith(ofSuspended)).toBe('403 project_suspended');
});

test('streams and waits end when their token expires, and the SDK goes on with a fresh one', async () => {
  const token = await newToken({ expires_in_seconds: 10 });
  const client = clientFor(token);
  const streams = await Promise.all(
    [`/v1/videos/${task.task_id}/events`, '/v1/events'].map((path) =>
      openEvents(path, {}, (address, init) => client.fetch(address, init)),
    ),
  );
  onTestFinished(() => streams.forEach((stream) => stream.close()));
  const waiting = client.get<{ status: string }>(`/v1/videos/${task.task_id}?wait=60`);
  let fetched = 0;
  const kinora = new Kinora({
    baseUrl: url,
    token: async (refused) => {
      fetched += refused === undefined ? 0 : 1;
      return refused === undefined ? token : newToken();
    },
  });
  const followed = (async () => {
    for await (const state of kinora.videos.follow(task.task_id)) if (state.is_final) return state.status;
    return null;
  })();
  await Promise.all(streams.map(({ ended }) => ended));
  expect(await waiting).toMatchObject({ status: 200, body: { status: 'queued' } });
  expect(await readWith(token)).toBe('401 expired_api_key');
  expect((await own.client.post(`/v1/videos/${task.task_id}/cancel`, {})).status).toBe(200);
  expect(await followed).toBe('cancelled');
  expect(fetched).toBeGreaterThan(0);
});
