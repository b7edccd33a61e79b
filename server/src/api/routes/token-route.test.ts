import { expect, it } from 'vitest';
import { auth, clock, send, storedFile, task, taskUrl } from '../app.fixture.ts';

const person = { authorization: 'Bearer person' };
const oneTask = { authorization: 'Bearer one-task' };
const url = '/v1/tokens';
const create = (payload?: object) =>
  send({ method: 'POST', url, headers: auth, ...(payload === undefined ? {} : { payload }) });

it('a token is made for ten minutes and all tasks unless the body says otherwise, and no cache keeps it', async () => {
  const { status, json, headers } = await create();
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  const now = Math.floor(clock.now().getTime() / 1000);
  const token = { object: 'token', token: 'kin_token_text', scopes: ['videos:read'], task_id: null, livemode: true };
  expect(json).toEqual({ ...token, expires_at: now + 600 });
  const chosen = await create({ scopes: ['videos:write'], task_id: task.id, expires_in_seconds: 10 });
  expect(chosen.json).toMatchObject({ scopes: ['videos:write'], task_id: task.id, expires_at: now + 10 });
});

it.each([
  ['shorter than 10 s', { expires_in_seconds: 9 }, 'expires_in_seconds'],
  ['longer than 10 min', { expires_in_seconds: 601 }, 'expires_in_seconds'],
  ['with a scope that does not exist', { scopes: ['videos:all'] }, 'scopes.0'],
  ['with no scope', { scopes: [] }, 'scopes'],
  ['with an unknown field', { session_id: 'sess_1' }, 'session_id'],
])('a token %s is refused', async (_, body, param) => {
  const { status, json } = await create(body);
  expect([status, json.error.param]).toEqual([400, param]);
});

it('a token for one task reaches only the routes of that task', async () => {
  const statusOf = async (method: 'GET' | 'POST', path: string) =>
    (await send({ method, url: path, headers: oneTask, ...(method === 'POST' ? { payload: {} } : {}) })).status;
  expect(await statusOf('GET', taskUrl)).toBe(200);
  expect(await statusOf('GET', `${taskUrl}/timeline`)).toBe(200);
  expect(await statusOf('GET', `${taskUrl}/content`)).toBe(200);
  expect(await statusOf('POST', `${taskUrl}/cancel`)).toBe(409);
  const others = ['/v1/videos', '/v1/videos/task_01k9zqv3x4e8rb6t7y2m5n0p1r', '/v1/videos/nonsense', '/v1/events'];
  for (const other of [...others, '/v1/models', '/v1/limits']) {
    expect([other, await statusOf('GET', other)]).toEqual([other, 403]);
  }
  for (const other of ['/v1/videos/text-to-video', '/v1/videos', url]) {
    expect([other, await statusOf('POST', other)]).toEqual([other, 403]);
  }
});

it('a person needs a fresh sign-in for keys, secrets and deletions, and for nothing else', async () => {
  const signedIn = clock.moment;
  const refusing = [
    ['DELETE', taskUrl],
    ['DELETE', `/v1/files/${storedFile.id}`],
    ['POST', '/v1/api-keys'],
    ['POST', '/v1/api-keys/key_1/rotate'],
    ['DELETE', '/v1/api-keys/key_1'],
    ['DELETE', '/v1/webhook-endpoints/whk_1'],
    ['POST', '/v1/webhook-endpoints/whk_1/rotate-secret'],
    ['GET', '/v1/webhook-endpoints/callback-secret'],
    ['POST', '/v1/webhook-endpoints/callback-secret/rotate'],
  ] as const;
  const codeOf = async (method: 'GET' | 'POST' | 'DELETE', path: string) => {
    const payload = method === 'POST' ? { payload: { name: 'x' } } : {};
    return (await send({ method, url: path, headers: person, ...payload })).json.error?.code;
  };
  try {
    const codes = () => Promise.all(refusing.map(([method, path]) => codeOf(method, path)));
    expect(await codes()).not.toContain('sign_in_again');
    clock.moment = new Date(signedIn.getTime() + 5 * 60_000);
    expect(await codes()).toEqual(refusing.map(() => 'sign_in_again'));
    expect(await codeOf('GET', taskUrl)).toBeUndefined();
    expect(await codeOf('GET', '/v1/api-keys')).toBeUndefined();
    expect((await send({ method: 'DELETE', url: taskUrl, headers: auth })).status).toBe(200);
  } finally {
    clock.moment = signedIn;
  }
});
