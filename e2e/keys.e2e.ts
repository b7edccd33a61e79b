import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { call, clientFor, type ErrorBody, type Task } from './client.ts';
import { command, createKey, type OwnProject, ownProject } from './operator.ts';

const { url, testKey, liveKey } = inject('world');
const textToVideo = '/v1/videos/text-to-video';
const prompt = 'A kite above the sea';

/** Its tasks wait for ever. */
let own: OwnProject;
let ownTask: Task;
beforeAll(async () => {
  own = await ownProject('keys', ['--running', '0', '--creates', '6000']);
  ownTask = await own.client.create({ prompt });
});

/** A key whose checksum is right, and which nobody has issued. */
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

describe('a key that does not open is 401', () => {
  test('missing, or not sent as a bearer', async () => {
    const address = `${url}/v1/videos/${ownTask.task_id}`;
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: own.key },
      { authorization: `Basic ${own.key}` },
    ]) {
      const answer = await call<ErrorBody>(address, { headers });
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'missing_api_key' } } });
    }
  });

  test('mistyped, or unknown with the right checksum', async () => {
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

  test('expired or revoked, from one moment to the next', async () => {
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
    const listed = (await command('keys', 'list', own.projectId))
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([expired.id, later.id, key.id]));
    expect(JSON.stringify(listed)).not.toContain(key.key);
  });
});

test('a key may do what its scopes say, and no more', async () => {
  const { key } = await createKey(own.projectId, '--mode', 'test', '--scopes', 'videos:read');
  const reader = clientFor(key);
  expect((await reader.read(ownTask.task_id)).task_id).toBe(ownTask.task_id);
  const answer = await reader.post<ErrorBody>(textToVideo, { prompt });
  expect(answer).toMatchObject({
    status: 403,
    body: { error: { code: 'insufficient_scope', type: 'permission_error' } },
  });
});

describe('what is not yours does not exist', () => {
  test('a foreign, an unknown and a malformed id, and one of the other mode, are the same 404 to the byte', async () => {
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
    const answers = await Promise.all(
      cases.map(async ([key, taskId]) => {
        const { status, headers, text, body } = await clientFor(key).get<ErrorBody>(`/v1/videos/${taskId}`);
        const plain = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
        return { status, headers: plain, text: text.replace(body.request_id, 'REQUEST') };
      }),
    );
    expect(answers[0]).toMatchObject({ status: 404 });
    expect(JSON.parse(answers[0]?.text ?? '{}')).toMatchObject({
      error: { code: 'task_not_found', type: 'invalid_request_error' },
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test('tasks of one project in test and live mode do not see each other, either way', async () => {
    const [test, live] = [clientFor(testKey), clientFor(liveKey)];
    const small = { prompt, resolution: '480p', aspect_ratio: '1:1', duration: 1 };
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
