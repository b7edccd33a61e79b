import { crc32 } from 'node:zlib';
import { type ApiClient, call, createApiClient, type ErrorBody } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { pause } from '@kinora/stack/harness/pause';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ApiKeyList, IssuedApiKey, Token } from '../sdk/src/generated/types.ts';
import { describedResponses } from './described-responses.ts';
import { command } from './operator-command.ts';
import { clientFor, createKey, ownProject } from './own-project.ts';
import { startSecondApi } from './second-api.ts';

const { url, testKey, liveKey } = inject('world');
const textToVideo = '/v1/videos/text-to-video';
const prompt = 'A kite above the sea';

/** Its tasks never start. */
const own = await ownProject('keys', neverRunning);
const ownTask = await own.client.create({ prompt });

/** Returns a key with a valid checksum that was never issued. */
function unknownKey(): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const start = `kin_test_${'Zz9'.repeat(10)}`;
  let value = crc32(start);
  let checksum = '';
  for (let place = 0; place < 6; place += 1) {
    checksum = digits.charAt(value % 62) + checksum;
    value = Math.floor(value / 62);
  }
  return start + checksum;
}

/** Checks that reads and creates with this key get 401, and returns the error code. */
async function refused(key: string) {
  const client = clientFor(key);
  const [read, create] = await Promise.all([
    client.get<ErrorBody>(`/v1/videos/${ownTask.task_id}`),
    client.post<ErrorBody>(textToVideo, { prompt }),
  ]);
  for (const { status, headers, body } of [read, create]) {
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(body.error.type).toBe('authentication_error');
    expect(JSON.stringify(body)).not.toContain(key);
  }
  expect(read.body.error.code).toBe(create.body.error.code);
  return read.body.error.code;
}

describe('a request without a valid key', () => {
  test('a request whose key is missing or not a bearer token gets 401', async () => {
    const address = `${url}/v1/videos/${ownTask.task_id}`;
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: own.key },
      { authorization: `Basic ${own.key}` },
    ]) {
      const response = await call<ErrorBody>(address, { headers });
      expect(response).toMatchObject({ status: 401, body: { error: { code: 'missing_api_key' } } });
    }
  });

  test('a mistyped key, or an unknown key with a valid checksum, gets 401', async () => {
    const last = own.key.endsWith('A') ? 'B' : 'A';
    for (const key of [
      own.key.slice(0, -1) + last,
      own.key.slice(0, -1),
      own.key.replace('test', 'live'),
      'sk-123',
      unknownKey(),
    ]) {
      expect(await refused(key)).toBe('invalid_api_key');
    }
  });

  test('an expired or revoked key gets 401 at once', async () => {
    const [expired, later, key] = await Promise.all([
      createKey(own.projectId, '--mode', 'test', '--expires', new Date(Date.now() - 1000).toISOString()),
      createKey(own.projectId, '--mode', 'test', '--expires', new Date(Date.now() + 600_000).toISOString()),
      createKey(own.projectId, '--mode', 'test', '--name', 'to be revoked'),
    ]);
    expect(await refused(expired.key)).toBe('expired_api_key');
    expect((await clientFor(later.key).read(ownTask.task_id)).task_id).toBe(ownTask.task_id);
    expect((await clientFor(key.key).read(ownTask.task_id)).task_id).toBe(ownTask.task_id);
    await command('keys', 'revoke', key.id);
    expect(await refused(key.key)).toBe('revoked_api_key');
    const listed = (await command('keys', 'list', own.projectId, '--json'))
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([expired.id, later.id, key.id]));
    expect(JSON.stringify(listed)).not.toContain(key.key);
  });
});

test('a key may do only what its scopes allow', async () => {
  const { key } = await createKey(own.projectId, '--mode', 'test', '--scopes', 'videos:read');
  const reader = clientFor(key);
  expect((await reader.read(ownTask.task_id)).task_id).toBe(ownTask.task_id);
  const response = await reader.post<ErrorBody>(textToVideo, { prompt });
  expect(response).toMatchObject({
    status: 403,
    body: { error: { code: 'insufficient_scope', type: 'permission_error' } },
  });
});

const grant = async (client: ApiClient, fields: object) =>
  (await client.post<IssuedApiKey>('/v1/api-keys', fields)).body;
const nowSeconds = () => Math.floor(Date.now() / 1000);

test('a proxy finds the shard of the project at the same places of keys, tokens, ids and links', async () => {
  const manager = await ownProject('routed', neverRunning);
  const made = await grant(manager.client, { name: 'first' });
  const rotated = await manager.client.post<IssuedApiKey>(`/v1/api-keys/${made.id}/rotate`, { overlap_seconds: 15 });
  const { token } = (await manager.client.post<Token>('/v1/tokens', {})).body;
  const { task_id, events_url } = await manager.client.create({ prompt });
  const ofCredential = (text: string) => /^kin_[a-z]+_(..)/.exec(text)?.[1];
  const ofId = (text: string) => /(?:^|\/)[a-z]+_[0-9a-z]{11}([0-9a-z]{2})[0-9a-z]{13}(?:$|[/?])/.exec(text)?.[1];
  const shards = [
    ...[manager.key, made.key, rotated.body.key, token].map(ofCredential),
    ...[made.id, rotated.body.id, task_id, events_url ?? ''].map(ofId),
  ];
  expect(shards).toEqual(shards.map(() => ofId(manager.projectId)));
});

describe('keys over HTTP', () => {
  test('a key is created, listed, rotated and revoked with another key, and is returned in full only once', async () => {
    const { check } = await describedResponses();
    const [expectKey, expectIssued, expectList] = [check('ApiKey'), check('IssuedApiKey'), check('ApiKeyList')];
    const manager = await ownProject('keys over HTTP');
    const expires_at = nowSeconds() + 3600;
    const made = await grant(manager.client, { name: 'farm', scopes: ['videos:read'], expires_at });
    expectIssued(made);
    expect(made).toMatchObject({ name: 'farm', livemode: false, scopes: ['videos:read'], expires_at });
    expect(made.key).toMatch(/^kin_test_[0-9A-Za-z]{36}$/);
    expect([made.prefix, made.last_four]).toEqual(['kin_test_', made.key.slice(-4)]);
    expect((await clientFor(made.key).get('/v1/videos/task_1')).status).toBe(404);

    const rotated = await manager.client.post<IssuedApiKey>(`/v1/api-keys/${made.id}/rotate`, { overlap_seconds: 15 });
    expectIssued(rotated.body);
    expect(rotated.body).toMatchObject({ name: 'farm', scopes: ['videos:read'], expires_at });
    for (const { key } of [made, rotated.body]) {
      expect((await clientFor(key).get('/v1/videos/task_1')).status).toBe(404);
    }
    await eventually('the overlap ends', async () => {
      return (await clientFor(made.key).get('/v1/videos/task_1')).status === 401;
    });
    expect(await refused(made.key)).toBe('expired_api_key');
    expect((await clientFor(rotated.body.key).get('/v1/videos/task_1')).status).toBe(404);

    for (const _ of ['first', 'second']) {
      expect(await manager.client.delete(`/v1/api-keys/${rotated.body.id}`)).toMatchObject({
        status: 200,
        body: { id: rotated.body.id, object: 'api_key.deleted', deleted: true },
      });
    }
    expect(await refused(rotated.body.key)).toBe('revoked_api_key');
    const rotatedTwice = await manager.client.post<ErrorBody>(`/v1/api-keys/${rotated.body.id}/rotate`, {});
    expect(rotatedTwice).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', param: 'key_id' } },
    });

    const listed = await manager.client.get<ApiKeyList>('/v1/api-keys');
    expectList(listed.body);
    for (const key of listed.body.data) expectKey(key);
    expect(listed.body.data.map(({ id }) => id).slice(0, 2)).toEqual([rotated.body.id, made.id]);
    expect(listed.body.data[0]?.revoked_at).toBeGreaterThan(0);
    for (const { key } of [made, rotated.body]) expect(listed.text).not.toContain(key);
    const page = await manager.client.get<ApiKeyList>(`/v1/api-keys?limit=1&after=${rotated.body.id}`);
    expect(page.body).toMatchObject({ first_id: made.id, last_id: made.id, has_more: true });
  });

  test('a key cannot grant scopes that it does not have, nor revoke a key that has them', async () => {
    const { key } = await createKey(own.projectId, '--mode', 'test', '--scopes', 'keys:manage', 'videos:read');
    const weak = clientFor(key);
    expect(await grant(weak, { name: 'by default' })).toMatchObject({ scopes: ['videos:read'] });
    const keys = (await own.client.get<ApiKeyList>('/v1/api-keys?limit=100')).body.data;
    const strong = keys.find(({ scopes }) => scopes.includes('videos:write'));
    for (const response of [
      await weak.post<ErrorBody>('/v1/api-keys', { name: 'more', scopes: ['videos:read', 'videos:write'] }),
      await weak.post<ErrorBody>(`/v1/api-keys/${strong?.id}/rotate`, {}),
      await weak.delete<ErrorBody>(`/v1/api-keys/${strong?.id}`),
    ]) {
      expect(response).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
      expect(response.body.error.message).toContain('videos:write');
    }
  });

  test('a key cannot see keys of the other mode or of another project', async () => {
    const live = clientFor((await createKey(own.projectId, '--mode', 'live')).key);
    const [ofTest, ofLive] = await Promise.all(
      [own.client, live].map(async (client) => (await client.get<ApiKeyList>('/v1/api-keys?limit=100')).body.data),
    );
    expect(new Set(ofTest?.map(({ livemode }) => livemode))).toEqual(new Set([false]));
    expect(new Set(ofLive?.map(({ livemode }) => livemode))).toEqual(new Set([true]));
    const hidden = [ofLive?.[0]?.id ?? '', 'key_00000000000000000000000000', 'key_1'];
    const foreign = (await clientFor(testKey).get<ApiKeyList>('/v1/api-keys')).body.data[0]?.id ?? '';
    const texts = await Promise.all(
      [...hidden, foreign].map(async (id) => {
        const { status, text, body } = await own.client.delete<ErrorBody>(`/v1/api-keys/${id}`);
        expect(status).toBe(404);
        return text.replace(body.request_id, 'REQUEST');
      }),
    );
    expect(new Set(texts).size).toBe(1);
  });

  test('the last use appears within seconds, rounded to the minute, in the list and for operators', async () => {
    const { id, key } = await createKey(own.projectId, '--mode', 'test', '--name', 'watched');
    const watched = async () =>
      (await own.client.get<ApiKeyList>('/v1/api-keys?limit=100')).body.data.find((one) => one.id === id);
    expect(await watched()).toMatchObject({ last_used_at: null });
    const before = nowSeconds();
    for (let use = 0; use < 5; use += 1) await clientFor(key).read(ownTask.task_id);
    const used = await eventually('the use is recorded', async () => (await watched())?.last_used_at);
    expect(used % 60).toBe(0);
    expect(used).toBeGreaterThan(before - 60);
    expect(used).toBeLessThanOrEqual(nowSeconds());
    const table = await command('keys', 'list', own.projectId);
    const line = table.split('\n').find((one) => one.startsWith(id));
    expect(table).toMatch(/^ID +NAME +KEY +STATE +LAST USED +CREATED +CREATED BY +SCOPES/);
    expect(line).toContain(new Date(used * 1000).toISOString().slice(0, 16).replace('T', ' '));
  });

  test('a key that expires creates no key that expires later', async () => {
    const expires = nowSeconds() + 600;
    const ending = await createKey(
      own.projectId,
      '--mode',
      'test',
      '--expires',
      new Date(expires * 1000).toISOString(),
    );
    const client = clientFor(ending.key);
    expect(await grant(client, { name: 'same end' })).toMatchObject({
      expires_at: expires,
      created_by_key_id: ending.id,
    });
    const later = await client.post<ErrorBody>('/v1/api-keys', { name: 'later', expires_at: expires + 1 });
    expect(later).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter', param: 'expires_at' } } });
  });

  test('operators revoke a leaked key with all keys that it created, and all keys of a project', async () => {
    const { projectId, client, key } = await ownProject('leaked keys');
    const leaked = await grant(client, { name: 'leaked', scopes: ['videos:read', 'keys:manage'] });
    const hidden = await grant(clientFor(leaked.key), { name: 'hidden' });
    const revoked = await command('keys', 'revoke', leaked.id, '--with-descendants');
    expect(revoked.split('\n').toSorted()).toEqual([leaked, hidden].map(({ id }) => `${id} is revoked.`).toSorted());
    expect(await refused(hidden.key)).toBe('revoked_api_key');
    expect((await client.get('/v1/api-keys')).status).toBe(200);
    expect(await command('keys', 'revoke-all', projectId)).toBe('1 keys revoked');
    expect(await refused(key)).toBe('revoked_api_key');
  });

  test('operators can rotate keys too', async () => {
    const old = await createKey(own.projectId, '--mode', 'test', '--name', 'operated', '--scopes', 'videos:read');
    const made = JSON.parse(await command('keys', 'rotate', old.id, '--overlap', '0')) as { id: string; key: string };
    expect(await refused(old.key)).toBe('expired_api_key');
    expect((await clientFor(made.key).read(ownTask.task_id)).task_id).toBe(ownTask.task_id);
  });
});

describe('two API processes', () => {
  let second: Awaited<ReturnType<typeof startSecondApi>>;
  beforeAll(async () => {
    second = await startSecondApi('second-api');
  });
  afterAll(() => second?.close());

  /** Requests a task 20 times from both APIs, and returns each distinct response that came. */
  async function distinctResponses(key: string): Promise<Set<string>> {
    const distinct = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      for (const { status, body } of await readFromBoth(key))
        distinct.add(`${status} ${body.error?.code ?? ''}`.trim());
      await pause(10); // keeps below the limit for requests without a valid key
    }
    return distinct;
  }
  const readFromBoth = (key: string) =>
    Promise.all(
      [url, second.url].map((base) =>
        createApiClient({ url: base, key }).get<ErrorBody>(`/v1/videos/${ownTask.task_id}`),
      ),
    );

  test('both API processes refuse a key as soon as one of them has revoked it', async () => {
    const manager = await createKey(own.projectId, '--mode', 'test');
    const doomed = await grant(clientFor(manager.key), { name: 'doomed' });
    // Both have accepted the key before, so either of them might have cached it.
    expect((await readFromBoth(doomed.key)).map(({ status }) => status)).toEqual([200, 200]);
    expect(
      (await createApiClient({ url: second.url, key: manager.key }).delete(`/v1/api-keys/${doomed.id}`)).status,
    ).toBe(200);
    expect(await distinctResponses(doomed.key)).toEqual(new Set(['401 revoked_api_key']));
  });

  test('both API processes refuse the keys of a suspended project, and accept them once it is resumed', async () => {
    expect((await readFromBoth(own.key)).map(({ status }) => status)).toEqual([200, 200]);
    await own.set('--suspend');
    expect(await distinctResponses(own.key)).toEqual(new Set(['403 project_suspended']));
    await own.set('--resume');
    expect(await distinctResponses(own.key)).toEqual(new Set(['200']));
  });
});

describe('tasks of other callers look as if they did not exist', () => {
  test('an id of another project or mode, an unknown and a malformed id get the same 404 to the byte', async () => {
    const { key: ownLiveKey } = await createKey(own.projectId, '--mode', 'live');
    const id = ownTask.task_id;
    const unknown = `${id.slice(0, -6)}${id.endsWith('000000') ? '111111' : '000000'}`;
    const cases: [string, string][] = [
      [testKey, id], // another project
      [ownLiveKey, id], // the same project in the other mode
      [own.key, unknown],
      [own.key, id.toUpperCase()],
      [own.key, id.slice(0, -1)],
      [own.key, `${id}0`],
      [own.key, id.replace('task_', 'key_')],
      [own.key, `task_${'z'.repeat(26)}`],
      [own.key, 'nonsense'],
      [own.key, '%00'],
      [own.key, '%F0%9F%8E%AC'],
      [own.key, "' or 1=1 --"],
    ];
    const responses = await Promise.all(
      cases.map(async ([key, taskId]) => {
        const { status, headers, text, body } = await clientFor(key).get<ErrorBody>(`/v1/videos/${taskId}`);
        // The rate limit headers depend on the key, not on the id.
        const plain = [...headers].filter(([name]) => !/^(x-request-id|date|(x-)?ratelimit.*)$/.test(name));
        return { status, headers: plain, text: text.replace(body.request_id, 'REQUEST') };
      }),
    );
    expect(responses[0]).toMatchObject({ status: 404 });
    expect(JSON.parse(responses[0]?.text ?? '{}')).toMatchObject({
      error: { code: 'task_not_found', type: 'invalid_request_error' },
    });
    for (const response of responses) expect(response).toEqual(responses[0]);
  });

  test('a test key cannot see live tasks of its project, and a live key cannot see test tasks', async () => {
    const [test, live] = [clientFor(testKey), clientFor(liveKey)];
    const small = { prompt, ...smallestVideo };
    const [testTask, liveTask] = await Promise.all([test.create(small), live.create(small)]);
    expect([testTask.livemode, liveTask.livemode]).toEqual([false, true]);
    expect((await live.get(`/v1/videos/${testTask.task_id}`)).status).toBe(404);
    expect((await test.get(`/v1/videos/${liveTask.task_id}`)).status).toBe(404);
    const ends = await Promise.all([test.follow(testTask.task_id), live.follow(liveTask.task_id)]);
    expect(ends.map(({ end }) => [end.status, end.livemode])).toEqual([
      ['completed', false],
      ['completed', true],
    ]);
  });
});
