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
  'x-ratelimit-burst-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
];

/** Creates an API with unused read limits. It accepts every key, and each key has limits of its own. */
function freshApp(limits: Partial<Caller['limits']>) {
  const app = createApp({
    ...parts,
    authenticate: async (keyId) => {
      const caller = await parts.authenticate('good', () => undefined);
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
      'x-ratelimit-burst-requests': '10',
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
      message: 'Rate limit reached for reads of this key (4 at once, 4 per minute). Try again in 15 s.',
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

  it('all keys of a project together may read ten times as much as one key', async () => {
    const read = freshApp({ readsPerMinute: 2 });
    for (let key = 0; key < 10; key += 1) {
      expect([(await read(`key-${key}`)).status, (await read(`key-${key}`)).status]).toEqual([200, 200]);
    }
    const { status, headers, json } = await read('another');
    expect([status, headers['retry-after'], headers['x-ratelimit-remaining-requests']]).toEqual([429, '3', '0']);
    expect(json.error.message).toBe(
      'Rate limit reached for reads of this project (20 at once, 20 per minute). Try again in 3 s.',
    );
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

describe('creates that make no task', () => {
  /** Creates an API with unused limits, whose `createTask` refuses the prompts "too many" and "no image". */
  function creatingApp(limits: Partial<Caller['limits']>) {
    const api = createApp({
      ...parts,
      authenticate: async (key) => {
        const caller = await parts.authenticate('good', () => undefined);
        return { ...caller, scopes: key === 'reader' ? [] : caller.scopes, limits: { ...caller.limits, ...limits } };
      },
      createTask: async (input) => {
        if (input.request.prompt === 'no image') throw new AppError('image_unreachable');
        return parts.createTask(input);
      },
    });
    const authorization = 'Bearer good';
    return {
      read: async () => (await api.inject({ url: taskUrl, headers: { authorization } })).statusCode,
      create: async (payload: object | string, headers: Record<string, string> = {}) => {
        const response = await api.inject({
          method: 'POST',
          url: '/v1/videos/text-to-video',
          headers: { authorization, 'content-type': 'application/json', ...headers },
          payload,
        });
        return { status: response.statusCode, headers: response.headers, json: response.json() };
      },
    };
  }

  it('creates that make no task, whatever the reason, and replays count as reads until the read limit refuses them', async () => {
    const api = creatingApp({ readsPerMinute: 5, createsPerMinute: 1 });
    const fruitless = [
      await api.create({ prompt: '' }),
      await api.create('{'),
      await api.create({ prompt: 'too many' }),
      await api.create({ prompt: 'no image' }),
      await api.create({ prompt: 'a cat' }, { 'idempotency-key': 'known' }),
    ];
    expect(fruitless.map(({ status }) => status)).toEqual([400, 400, 429, 400, 200]);
    expect(await api.read()).toBe(429);
    // Creates may go beyond the reads by the burst of ten.
    for (let count = 0; count < 10; count += 1) expect((await api.create({ prompt: '' })).status).toBe(400);
    const refused = await api.create({ prompt: 'a cat' }, { 'idempotency-key': 'known' });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '12']);
    expect(refused.headers['x-ratelimit-limit-requests']).toBe('5');
    expect(refused.json.error).toMatchObject({
      code: 'rate_limited',
      message:
        'Rate limit reached for reads of this key (15 at once, 5 per minute). Creates that make no task, and replays, count as reads. Try again in 12 s.',
    });
  });

  it('a create with a key that lacks the scope counts as a read too', async () => {
    const api = creatingApp({ readsPerMinute: 1, createsPerMinute: 1 });
    const attempts = [];
    for (let count = 0; count < 12; count += 1) {
      attempts.push((await api.create({ prompt: 'a cat' }, { authorization: 'Bearer reader' })).status);
    }
    expect(attempts).toEqual([...Array.from({ length: 11 }, () => 403), 429]);
  });

  it('creates that make a task use up no reads, and go on when the reads are used up', async () => {
    const api = creatingApp({ readsPerMinute: 1, createsPerMinute: 1 });
    for (let count = 0; count < 30; count += 1) expect((await api.create({ prompt: 'a cat' })).status).toBe(200);
    expect([await api.read(), await api.read()]).toEqual([200, 429]);
    for (let count = 0; count < 30; count += 1) expect((await api.create({ prompt: 'a cat' })).status).toBe(200);
  });
});

describe('GET /v1/limits', () => {
  it('GET /v1/limits shows the limits and their current use', async () => {
    const read = freshApp({
      createAllowedAt: new Date(clock.now().getTime() + 4_000),
      waiting: 12,
      running: 2,
      storage: { limitBytes: 5_000, usedBytes: 6_000, filesLimit: 40, files: 3 },
    });
    expect((await read('one', '/v1/limits')).json).toEqual({
      object: 'limits',
      livemode: true,
      creates: { limit_per_minute: 60, burst: 10, remaining: 6, reset_seconds: 4 },
      reads: { limit_per_minute: 600, burst: 600, remaining: 599, reset_seconds: 1 },
      waiting: { limit: 100, used: 0 },
      waiting_total: { limit: 1000, used: 12 },
      running: { limit: 2, used: 2 },
      uploads: { limit_per_minute: 60, burst: 60, remaining: 60, reset_seconds: 0 },
      storage: { limit_bytes: 5_000, used_bytes: 6_000 },
      files: { limit: 40, used: 3 },
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

describe('the limit of uploads', () => {
  it('uploads count against a limit of the project instead of the read limit, and are refused beyond it', async () => {
    const app = createApp({
      ...parts,
      authenticate: async (keyId) => {
        const caller = await parts.authenticate('uploader', () => undefined);
        return { ...caller, keyId, limits: { ...caller.limits, createsPerMinute: 3 } };
      },
    });
    const boundary = 'b';
    const payload = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\nx\r\n--${boundary}--\r\n`;
    const upload = (key: string) =>
      app.inject({
        method: 'POST',
        url: '/v1/files',
        headers: { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
        payload,
      });
    const first = await upload('one');
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({
      ratelimit: '"create";r=10;t=0, "read";r=600;t=0, "upload";r=2;t=20',
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '2',
    });
    // Another key of the same project has no limit of its own.
    expect([(await upload('two')).statusCode, (await upload('one')).statusCode]).toEqual([200, 200]);
    const refused = await upload('two');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '20']);
    expect(refused.json().error).toMatchObject({
      code: 'rate_limited',
      message: 'Rate limit reached for uploads (3 at once, 3 per minute). Try again in 20 s.',
    });
  });
});

describe('the limits of webhook tests and redeliveries', () => {
  it.each([
    ['/v1/webhook-endpoints/whk_1/test', 10, 'webhook tests', '6'],
    ['/v1/webhook-deliveries/del_1/redeliver', 60, 'redeliveries', '1'],
  ])(
    '%s may be called %i times a minute by all keys of a project together',
    async (url, perMinute, noun, retryAfter) => {
      const app = createApp({
        ...parts,
        authenticate: async (keyId) => ({
          ...(await parts.authenticate('hooks', () => undefined)),
          keyId,
          projectId: keyId.startsWith('other') ? 'proj_2' : 'proj_1',
        }),
      });
      const post = (key: string) => app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${key}` } });
      const statuses = [];
      for (let count = 0; count < perMinute; count += 1) statuses.push((await post(`key-${count}`)).statusCode);
      expect(statuses).not.toContain(429);
      const refused = await post('one-more');
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, retryAfter]);
      expect(refused.json().error).toMatchObject({
        code: 'rate_limited',
        message: `Rate limit reached for ${noun} of this project (${perMinute} at once, ${perMinute} per minute). Try again in ${retryAfter} s.`,
      });
      expect((await post('other')).statusCode).not.toBe(429);
    },
  );
});
