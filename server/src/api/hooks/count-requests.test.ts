import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../domain/caller.ts';
import { AppError } from '../../errors.ts';
import { auth, clock, create, parts, send, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const moment = clock.moment;
afterEach(() => {
  clock.moment = moment;
});

const rateHeaders = [
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
];

/** Creates an API with unused read limits. It accepts every key, and each key has limits of its own. */
function freshApp(limits: Partial<Caller['limits']>) {
  const app = createApp({
    ...parts,
    authenticate: async (keyId) => {
      const caller = await parts.authenticate('good');
      return { ...caller, keyId, limits: { ...caller.limits, ...limits } };
    },
  });
  return async (key: string, url = taskUrl) => {
    const {
      statusCode: status,
      headers,
      body,
    } = await app.inject({
      url,
      headers: { authorization: `Bearer ${key}` },
    });
    return { status, headers, json: body === '' ? null : JSON.parse(body) };
  };
}

describe('rate limit headers', () => {
  it('rate limit headers of a create show what is left of the creation limit', async () => {
    const { headers } = await create({ prompt: 'a cat' });
    expect(headers['ratelimit-policy']).toBe('"create";q=60;w=60, "read";q=600;w=60');
    expect(headers['ratelimit']).toMatch(/^"create";r=7;t=3, "read";r=\d+;t=\d+$/);
    expect(headers).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '7',
      'x-ratelimit-reset-requests': '3s',
    });
  });

  it('rate limit headers of a read show what is left of the read limit', async () => {
    const read = freshApp({ createAllowedAt: new Date(clock.now().getTime() + 2_000), readsPerMinute: 6 });
    const { headers } = await read('one');
    expect(headers['ratelimit']).toBe('"create";r=8;t=2, "read";r=5;t=10');
    expect(headers).toMatchObject({
      'x-ratelimit-limit-requests': '6',
      'x-ratelimit-remaining-requests': '5',
      'x-ratelimit-reset-requests': '10s',
    });
  });

  it('rate limit headers are on every refused request with a known key, but not on one with an unknown key', async () => {
    const refused = [
      await create({ prompt: '' }),
      await create('{'),
      await create({ prompt: 'too many' }),
      await send({ url: '/v1/videos/task_unknown', headers: auth }),
      await send({ method: 'POST', url: '/v1/videos/text-to-video', headers: { authorization: 'Bearer reader' } }),
      await send({ url: taskUrl, headers: { authorization: 'Bearer suspended' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 429, 404, 403, 403]);
    for (const { headers } of refused) expect(Object.keys(headers)).toEqual(expect.arrayContaining(rateHeaders));
    const unknown = await send({ url: taskUrl, headers: { authorization: 'Bearer nobody' } });
    expect(Object.keys(unknown.headers).filter((name) => rateHeaders.includes(name))).toEqual([]);
  });

  it('rate limit headers show that nothing is left when the creation limit refuses a request', async () => {
    const { headers } = await create({ prompt: 'too many' });
    expect(headers['ratelimit']).toMatch(/^"create";r=0;t=12,/);
    expect(headers['x-ratelimit-remaining-requests']).toBe('0');
  });
});

describe('the read limit', () => {
  it('the read limit refuses requests beyond it with an error that names it, and accepts one more after Retry-After', async () => {
    const read = freshApp({ readsPerMinute: 4 });
    for (let count = 0; count < 4; count += 1) expect((await read('one')).status).toBe(200);
    const { status, headers, json } = await read('one');
    expect(status).toBe(429);
    expect(json.error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      message: 'The limit of 4 reads a minute of this key is used up. Try again in 15 s.',
    });
    expect(headers).toMatchObject({
      'retry-after': '15',
      'x-should-retry': 'true',
      'x-ratelimit-reset-requests': '1m0s',
    });
    clock.moment = new Date(moment.getTime() + 14_999);
    expect((await read('one')).status).toBe(429);
    clock.moment = new Date(moment.getTime() + 15_000);
    expect((await read('one')).status).toBe(200);
    expect((await read('one')).status).toBe(429);
  });

  it('the read limit applies to each key separately', async () => {
    const read = freshApp({ readsPerMinute: 1 });
    expect([(await read('one')).status, (await read('one')).status, (await read('two')).status]).toEqual([
      200, 429, 200,
    ]);
  });

  it('the read limit counts requests that find nothing, but not creates', async () => {
    const read = freshApp({ readsPerMinute: 2 });
    expect((await read('one', '/v1/videos/task_unknown')).status).toBe(404);
    expect((await read('one')).headers['x-ratelimit-remaining-requests']).toBe('0');
    const before = (await send({ url: '/v1/limits', headers: auth })).json.reads.remaining;
    await create({ prompt: 'a cat' });
    expect((await send({ url: '/v1/limits', headers: auth })).json.reads.remaining).toBe(before - 1);
  });
});

describe('GET /v1/limits', () => {
  it('GET /v1/limits shows the limits and their current use', async () => {
    const read = freshApp({
      createAllowedAt: new Date(clock.now().getTime() + 4_000),
      waiting: 12,
      running: 2,
    });
    expect((await read('one', '/v1/limits')).json).toEqual({
      object: 'limits',
      livemode: true,
      creates: { limit_per_minute: 60, burst: 10, remaining: 6, reset_seconds: 4 },
      reads: { limit_per_minute: 600, burst: 600, remaining: 599, reset_seconds: 1 },
      waiting: { limit: 100, used: 12 },
      running: { limit: 2, used: 2 },
    });
  });
});

describe('x-should-retry', () => {
  const failing = createApp({
    ...parts,
    createTask: async ({ request }) => {
      if (request.prompt === 'busy') throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 });
      if (request.prompt === 'full') throw new AppError('too_many_waiting_tasks');
      if (request.prompt === 'away') throw new AppError('overloaded');
      throw new Error('broken');
    },
    readTask: async () => {
      throw new Error('broken');
    },
  });
  const post = async (prompt: string, headers: Record<string, string> = {}) => {
    const response = await failing.inject({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      headers: { ...auth, ...headers },
      payload: { prompt },
    });
    return [response.statusCode, response.headers['x-should-retry'], response.json().error.retryable];
  };

  it('x-should-retry is true only if the client may send the same request again', async () => {
    const key = { 'idempotency-key': 'one' };
    expect(await post('broken')).toEqual([500, 'false', false]);
    expect(await post('broken', key)).toEqual([500, 'true', true]);
    expect(await post('busy', key)).toEqual([409, 'true', true]);
    expect(await post('full', key)).toEqual([429, 'false', false]);
    expect(await post('away')).toEqual([503, 'true', true]);
    const read = await failing.inject({ url: taskUrl, headers: auth });
    expect([read.statusCode, read.headers['x-should-retry']]).toEqual([500, 'true']);
  });
});
