import { describe, expect, test, vi } from 'vitest';
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  GoneError,
  IdempotencyError,
  InvalidRequestError,
  Kinora,
  KinoraError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './index.ts';
import { type Answer, drop, json, problem, silence, startScriptedServer } from './scripted-server.fixture.ts';

/** A server that gives these answers in turn, the last one from then on. */
async function serve(...answers: [Answer, ...Answer[]]) {
  const server = await startScriptedServer((_asked, count) => answers[count - 1] ?? answers.at(-1) ?? drop);
  return { ...server, kinora: new Kinora({ apiKey: 'kin_test_x', baseUrl: server.baseUrl, maxRetries: 2 }) };
}

const task = json(200, { id: 'task_1', is_final: true, status: 'completed' });
const soon = { 'retry-after': '0', 'x-should-retry': 'true' };

describe('a create', () => {
  test('that may have been received is sent again under the same idempotency key', async () => {
    const { asked, kinora } = await serve(drop, drop, task);
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    const keys = new Set(asked.map(({ headers }) => headers['idempotency-key']));
    expect(asked).toHaveLength(3);
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^\d+(-\d+){3}$/);
  });

  test('has a key in a page without https too', async () => {
    const { asked, kinora } = await serve(task);
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    try {
      await kinora.videos.textToVideo({ prompt: 'a boat' });
    } finally {
      vi.unstubAllGlobals();
    }
    expect(asked[0]?.headers['idempotency-key']).toBeDefined();
  });

  test('that cannot be written down is refused at once, and no connection is blamed', async () => {
    const { asked, kinora } = await serve(task);
    const seed = 7n as unknown as number; // what JavaScript allows
    await expect(kinora.videos.textToVideo({ prompt: 'a boat', seed })).rejects.toBeInstanceOf(InvalidRequestError);
    const unsendable = kinora.videos.textToVideo({ prompt: 'a boat' }, { idempotencyKey: '舟' });
    await expect(unsendable).rejects.toBeInstanceOf(InvalidRequestError);
    expect(asked).toEqual([]);
  });

  test('takes the caller’s own key, and another one for every other create', async () => {
    const { asked, kinora } = await serve(task);
    await kinora.videos.textToVideo({ prompt: 'a boat' }, { idempotencyKey: 'mine' });
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toBe('mine');
    expect(new Set(keys).size).toBe(3);
  });

  test('uploads bytes first and names the file', async () => {
    const { asked, kinora } = await serve(json(200, { id: 'file_1' }), task);
    await kinora.videos.imageToVideo({ prompt: 'a boat', image: new Uint8Array([1, 2, 3]) });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/files',
      'POST /v1/videos/image-to-video',
    ]);
    expect(asked[0]?.headers['content-type']).toContain('multipart/form-data');
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ prompt: 'a boat', image_url: 'file_1' });
  });

  test('under the caller’s own key looks the same each time, with bytes too', async () => {
    const { asked, kinora } = await serve(task);
    const image = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    await kinora.videos.imageToVideo({ prompt: 'a boat', image }, { idempotencyKey: 'mine' });
    await kinora.videos.run({ prompt: 'a boat', image: new Blob([image]) }, { idempotencyKey: 'mine' });
    expect(asked.map(({ url }) => url)).toEqual(['/v1/videos/image-to-video', '/v1/videos/image-to-video']);
    expect(asked[0]?.body).toBe(asked[1]?.body);
    const [, base64] = JSON.parse(asked[0]?.body ?? '').image_url.split('data:image/png;base64,');
    expect(Buffer.from(base64, 'base64').equals(image)).toBe(true);
  });

  test('hands URLs, data and file ids on as they are, and refuses a path', async () => {
    const { asked, kinora } = await serve(task);
    const images = [new URL('https://example.com/a.png'), 'data:image/png;base64,AA==', 'file_1'];
    for (const image of images) await kinora.videos.imageToVideo({ prompt: 'x', image });
    expect(asked.map(({ body }) => JSON.parse(body).image_url)).toEqual(images.map(String));
    await expect(kinora.videos.imageToVideo({ prompt: 'x', image: './a.png' })).rejects.toThrow(/bytes/);
  });
});

describe('an answer that says so', () => {
  test('is retried after the time it names', async () => {
    const { asked, kinora } = await serve(
      json(429, problem('rate_limited'), soon),
      json(503, problem('overloaded'), soon),
      task,
    );
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    expect(asked).toHaveLength(3);
  });

  test('is retried only as often as allowed', async () => {
    const { asked, kinora } = await serve(json(503, problem('overloaded'), soon));
    await expect(kinora.videos.get('task_1')).rejects.toBeInstanceOf(ServerError);
    expect(asked).toHaveLength(3);
  });

  test.each([
    [400, InvalidRequestError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [410, GoneError],
    [413, InvalidRequestError],
    [422, IdempotencyError],
    [429, RateLimitError],
    [500, ServerError],
  ])('%i is an error of its own, thrown at once, with the request’s id', async (status, Class) => {
    const { asked, kinora } = await serve(json(status, problem('a_code'), { 'x-should-retry': 'false' }));
    const error = await kinora.videos.get('task_1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ status, code: 'a_code', requestId: 'req_1', message: 'about a_code' });
    expect(asked).toHaveLength(1);
  });

  test('but is a proxy’s page becomes an error too', async () => {
    const { kinora } = await serve((_request, response) => response.writeHead(404).end('<html>'));
    await expect(kinora.videos.get('task_1')).rejects.toMatchObject({ name: 'NotFoundError', status: 404 });
    const portal = await serve((_request, response) => response.writeHead(200).end('<html>'));
    await expect(portal.kinora.videos.get('task_1')).rejects.toThrow(/baseUrl/);
    const empty = await serve((_request, response) => response.writeHead(204).end());
    await expect(empty.kinora.videos.get('task_1')).rejects.toBeInstanceOf(ConnectionError);
  });

  test('nothing, because a proxy gives it while the service is away, is retried where that is safe', async () => {
    const away: Answer = (_request, response) => response.writeHead(502, { 'retry-after': '0' }).end('<html>');
    const create = await serve(away, away, task);
    await create.kinora.videos.textToVideo({ prompt: 'a boat' });
    expect(create.asked).toHaveLength(3);
    const key = await serve(away);
    await expect(key.kinora.apiKeys.create({ name: 'x' })).rejects.toMatchObject({ name: 'ServerError', status: 502 });
    expect(key.asked).toHaveLength(1);
  });

  test('not to retry, as for too many waiting tasks, is not retried, and says how long to wait', async () => {
    const headers = { 'x-should-retry': 'false', 'retry-after': '30' };
    const { asked, kinora } = await serve(json(429, problem('too_many_waiting_tasks'), headers));
    const error = await kinora.videos.textToVideo({ prompt: 'a boat' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RateLimitError', code: 'too_many_waiting_tasks', retryAfterSeconds: 30 });
    expect(asked).toHaveLength(1);
  });

  test('too many in the words of a proxy may be tried later', async () => {
    const { kinora } = await serve((_request, response) =>
      response.writeHead(429, { 'retry-after': '0' }).end('<html>'),
    );
    await expect(kinora.limits()).rejects.toMatchObject({ name: 'RateLimitError', isRetryable: true });
  });

  test('a moment to come back at means that moment by the clock of whoever says so', async () => {
    const clock = { date: 'Thu, 01 Jan 2015 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2015 00:00:07 GMT' };
    const { kinora } = await serve(json(429, problem('rate_limited'), { ...clock, 'x-should-retry': 'false' }));
    await expect(kinora.videos.get('task_1')).rejects.toMatchObject({ retryAfterSeconds: 7 });
  });

  test('that the service is elsewhere is not followed with a key, but named', async () => {
    const elsewhere = await serve(task);
    const { kinora } = await serve((_request, response) => {
      response.writeHead(301, { location: elsewhere.baseUrl }).end();
    });
    await expect(kinora.videos.textToVideo({ prompt: 'a boat' })).rejects.toThrow(/redirect.*baseUrl/);
    expect(elsewhere.asked).toEqual([]);
  });
});

describe('a connection', () => {
  test('that breaks in the middle of an answer is made again', async () => {
    const { kinora } = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"id"');
      setImmediate(() => request.socket.destroy());
    }, task);
    expect(await kinora.videos.get('task_1')).toMatchObject({ id: 'task_1' });
  });

  test('that never comes about is an error that says so', async () => {
    // Nobody listens there. Port 1 would not do: fetch itself refuses it.
    const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://127.0.0.1:2', maxRetries: 0 });
    const error = await kinora.videos.get('task_1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining('ECONNREFUSED'), isRetryable: true });
  });

  test('that fails on every address of a name says how', async () => {
    const refused = [new Error('connect ECONNREFUSED ::1:80'), new Error('connect ECONNREFUSED 127.0.0.1:80')];
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: new AggregateError(refused) }); // as Node words it
    };
    const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://localhost', maxRetries: 0, fetch });
    await expect(kinora.limits()).rejects.toThrow(/reached: .*::1:80, .*127\.0\.0\.1:80/);
  });

  test('may be waited for without an end', async () => {
    const { baseUrl } = await serve((request, response) => setTimeout(() => task(request, response), 50));
    const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl, maxRetries: 0, timeoutMilliseconds: Infinity });
    expect(await kinora.videos.get('task_1')).toMatchObject({ id: 'task_1' });
  });

  test('is given up when the caller aborts, with the caller’s reason', async () => {
    const { kinora } = await serve(silence);
    const stop = new AbortController();
    const asked = kinora.videos.get('task_1', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

describe('the client', () => {
  test('refuses a key in a page, and takes a token there', async () => {
    const page = globalThis as { window?: unknown; document?: unknown };
    page.window = page.document = {};
    try {
      const baseUrl = 'https://kinora.example.com';
      expect(() => new Kinora({ apiKey: 'kin_live_x', baseUrl })).toThrow(/page/);
      expect(() => new Kinora({ apiKey: 'kin_live_x', baseUrl, dangerouslyAllowBrowser: true })).not.toThrow();
      expect(() => new Kinora({ token: () => 'short-lived', baseUrl })).not.toThrow();
      expect(() => new Kinora({ token: 'kin_live_x', baseUrl })).toThrow(/page/);
      await expect(new Kinora({ token: async () => 'kin_live_x', baseUrl }).limits()).rejects.toThrow(/page/);
    } finally {
      delete page.window;
      delete page.document;
    }
  });

  test('asks for the token before every request', async () => {
    const { asked, baseUrl } = await serve(task);
    let count = 0;
    const kinora = new Kinora({ token: async () => `token-${++count}`, baseUrl });
    await kinora.videos.get('task_1');
    await kinora.videos.get('task_1');
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('says what is missing', () => {
    vi.stubEnv('KINORA_API_KEY', '');
    vi.stubEnv('KINORA_BASE_URL', '');
    expect(() => new Kinora({ apiKey: 'kin_test_x' })).toThrow(KinoraError);
    expect(() => new Kinora({ baseUrl: 'http://127.0.0.1' })).toThrow(/KINORA_API_KEY/);
    expect(() => new Kinora({ apiKey: 'kin_test_x', baseUrl: 'kinora.example.com' })).toThrow(/must be a URL/);
    vi.unstubAllEnvs();
  });
});
