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
import {
  drop,
  event,
  type Handler,
  json,
  problem,
  silence,
  startScriptedServer,
  stream,
} from './scripted-server.fixture.ts';

/** Starts a server that uses these handlers in turn, and the last one for every further request. */
async function serve(...handlers: [Handler, ...Handler[]]) {
  const server = await startScriptedServer((_request, count) => handlers[count - 1] ?? handlers.at(-1) ?? drop);
  return { ...server, kinora: new Kinora({ apiKey: 'kin_test_x', baseUrl: server.baseUrl, maxRetries: 2 }) };
}

const task = json(200, { id: 'task_1', is_final: true, status: 'completed' });
const soon = { 'retry-after': '0', 'x-should-retry': 'true' };

describe('a create', () => {
  test('whose connection broke is retried with the same idempotency key', async () => {
    const { requests, kinora } = await serve(drop, drop, task);
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
    expect(requests).toHaveLength(3);
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^\d+(-\d+){3}$/);
  });

  test('has an idempotency key in a page without https too', async () => {
    const { requests, kinora } = await serve(task);
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    try {
      await kinora.videos.textToVideo({ prompt: 'a boat' });
    } finally {
      vi.unstubAllGlobals();
    }
    expect(requests[0]?.headers['idempotency-key']).toBeDefined();
  });

  test('that cannot be serialised throws InvalidRequestError without sending anything', async () => {
    const { requests, kinora } = await serve(task);
    const seed = 7n as unknown as number; // a JavaScript caller could pass this
    await expect(kinora.videos.textToVideo({ prompt: 'a boat', seed })).rejects.toBeInstanceOf(InvalidRequestError);
    const unsendable = kinora.videos.textToVideo({ prompt: 'a boat' }, { idempotencyKey: '舟' });
    await expect(unsendable).rejects.toBeInstanceOf(InvalidRequestError);
    expect(requests).toEqual([]);
  });

  test('uses the caller’s idempotency key, and otherwise a new one for each create', async () => {
    const { requests, kinora } = await serve(task);
    await kinora.videos.textToVideo({ prompt: 'a boat' }, { idempotencyKey: 'mine' });
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toBe('mine');
    expect(new Set(keys).size).toBe(3);
  });

  test('uploads image bytes first and sends the id of the file', async () => {
    const { requests, kinora } = await serve(json(200, { id: 'file_1' }), task);
    await kinora.videos.imageToVideo({ prompt: 'a boat', image: new Uint8Array([1, 2, 3]) });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/files',
      'POST /v1/videos/image-to-video',
    ]);
    expect(requests[0]?.headers['content-type']).toContain('multipart/form-data');
    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({ prompt: 'a boat', image_url: 'file_1' });
  });

  test('an upload keeps the content type of its form, whatever headers the caller adds', async () => {
    const { requests, kinora } = await serve(json(200, { id: 'file_1' }));
    await kinora.files.upload(new Uint8Array([1, 2, 3]), {
      headers: { 'Content-Type': 'application/json', 'x-own': '1' },
    });
    expect(requests[0]?.headers).toMatchObject({
      'content-type': expect.stringContaining('multipart/form-data; boundary='),
      'x-own': '1',
    });
  });

  test('with the caller’s idempotency key sends an identical request each time, with image bytes too', async () => {
    const { requests, kinora } = await serve(task);
    const image = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    await kinora.videos.imageToVideo({ prompt: 'a boat', image }, { idempotencyKey: 'mine' });
    await kinora.videos.run({ prompt: 'a boat', image: new Blob([image]) }, { idempotencyKey: 'mine' });
    expect(requests.map(({ url }) => url)).toEqual(['/v1/videos/image-to-video', '/v1/videos/image-to-video']);
    expect(requests[0]?.body).toBe(requests[1]?.body);
    const [, base64] = JSON.parse(requests[0]?.body ?? '').image_url.split('data:image/png;base64,');
    expect(Buffer.from(base64, 'base64').equals(image)).toBe(true);
  });

  test('passes URLs, data URLs and file ids through, and rejects a path', async () => {
    const { requests, kinora } = await serve(task);
    const images = [new URL('https://example.com/a.png'), 'data:image/png;base64,AA==', 'file_1'];
    for (const image of images) await kinora.videos.imageToVideo({ prompt: 'x', image });
    expect(requests.map(({ body }) => JSON.parse(body).image_url)).toEqual(images.map(String));
    await expect(kinora.videos.imageToVideo({ prompt: 'x', image: './a.png' })).rejects.toThrow(/bytes/);
  });
});

describe('a response', () => {
  test('that asks for a retry is retried after its Retry-After', async () => {
    const { requests, kinora } = await serve(
      json(429, problem('rate_limited'), soon),
      json(503, problem('overloaded'), soon),
      task,
    );
    await kinora.videos.textToVideo({ prompt: 'a boat' });
    expect(requests).toHaveLength(3);
  });

  test('that always asks for a retry is retried at most maxRetries times', async () => {
    const { requests, kinora } = await serve(json(503, problem('overloaded'), soon));
    await expect(kinora.videos.get('task_1')).rejects.toBeInstanceOf(ServerError);
    expect(requests).toHaveLength(3);
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
  ])('with status %i and no retry throws its own error class at once, with the request id', async (status, Class) => {
    const { requests, kinora } = await serve(json(status, problem('a_code'), { 'x-should-retry': 'false' }));
    const error = await kinora.videos.get('task_1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ status, code: 'a_code', requestId: 'req_1', message: 'about a_code' });
    expect(requests).toHaveLength(1);
  });

  test('that is a proxy’s page becomes an error too', async () => {
    const { kinora } = await serve((_request, response) => response.writeHead(404).end('<html>'));
    await expect(kinora.videos.get('task_1')).rejects.toMatchObject({ name: 'NotFoundError', status: 404 });
    const portal = await serve((_request, response) => response.writeHead(200).end('<html>'));
    await expect(portal.kinora.videos.get('task_1')).rejects.toThrow(/baseUrl/);
    const empty = await serve((_request, response) => response.writeHead(204).end());
    await expect(empty.kinora.videos.get('task_1')).rejects.toBeInstanceOf(ConnectionError);
  });

  test('from a proxy whose service is down is retried if that is safe', async () => {
    const down: Handler = (_request, response) => response.writeHead(502, { 'retry-after': '0' }).end('<html>');
    const create = await serve(down, down, task);
    await create.kinora.videos.textToVideo({ prompt: 'a boat' });
    expect(create.requests).toHaveLength(3);
    const key = await serve(down);
    await expect(key.kinora.apiKeys.create({ name: 'x' })).rejects.toMatchObject({ name: 'ServerError', status: 502 });
    expect(key.requests).toHaveLength(1);
  });

  test('that forbids a retry, such as for too many waiting tasks, is not retried and says how long to wait', async () => {
    const headers = { 'x-should-retry': 'false', 'retry-after': '30' };
    const { requests, kinora } = await serve(json(429, problem('too_many_waiting_tasks'), headers));
    const error = await kinora.videos.textToVideo({ prompt: 'a boat' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RateLimitError', code: 'too_many_waiting_tasks', retryAfterSeconds: 30 });
    expect(requests).toHaveLength(1);
  });

  test('with status 429 from a proxy is a retryable RateLimitError', async () => {
    const { kinora } = await serve((_request, response) =>
      response.writeHead(429, { 'retry-after': '0' }).end('<html>'),
    );
    await expect(kinora.limits.get()).rejects.toMatchObject({ name: 'RateLimitError', isRetryable: true });
  });

  test('with a date as Retry-After is read by the clock of its sender', async () => {
    const clock = { date: 'Thu, 01 Jan 2015 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2015 00:00:07 GMT' };
    const { kinora } = await serve(json(429, problem('rate_limited'), { ...clock, 'x-should-retry': 'false' }));
    await expect(kinora.videos.get('task_1')).rejects.toMatchObject({ retryAfterSeconds: 7 });
  });

  test('that is a redirect is not followed with a key, and the error says so', async () => {
    const elsewhere = await serve(task);
    const { kinora } = await serve((_request, response) => {
      response.writeHead(301, { location: elsewhere.baseUrl }).end();
    });
    await expect(kinora.videos.textToVideo({ prompt: 'a boat' })).rejects.toThrow(/redirect.*baseUrl/);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('a connection', () => {
  test('that breaks in the middle of a response is retried', async () => {
    const { kinora } = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"id"');
      setImmediate(() => request.socket.destroy());
    }, task);
    expect(await kinora.videos.get('task_1')).toMatchObject({ id: 'task_1' });
  });

  test('that is refused throws a ConnectionError with the reason', async () => {
    // No process listens on port 2. Port 1 would not work here, because fetch itself blocks it.
    const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://127.0.0.1:2', maxRetries: 0 });
    const error = await kinora.videos.get('task_1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining('ECONNREFUSED'), isRetryable: true });
  });

  test('that fails on every address of a host reports each failure', async () => {
    const refused = [new Error('connect ECONNREFUSED ::1:80'), new Error('connect ECONNREFUSED 127.0.0.1:80')];
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: new AggregateError(refused) }); // Node throws it in this form
    };
    const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://localhost', maxRetries: 0, fetch });
    await expect(kinora.limits.get()).rejects.toThrow(/reached: .*::1:80, .*127\.0\.0\.1:80/);
  });

  test('has no time limit if timeoutMilliseconds is Infinity', async () => {
    const { baseUrl } = await serve((request, response) => setTimeout(() => task(request, response), 50));
    const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl, maxRetries: 0, timeoutMilliseconds: Infinity });
    expect(await kinora.videos.get('task_1')).toMatchObject({ id: 'task_1' });
  });

  test('is closed when the caller aborts, with the caller’s reason', async () => {
    const { kinora } = await serve(silence);
    const stop = new AbortController();
    const pending = kinora.videos.get('task_1', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
  });
});

describe('the client', () => {
  test('rejects an API key in a web page, and accepts a token there', async () => {
    const page = globalThis as { window?: unknown; document?: unknown };
    page.window = page.document = {};
    try {
      const baseUrl = 'https://kinora.example.com';
      expect(() => new Kinora({ apiKey: 'kin_live_x', baseUrl })).toThrow(/page/);
      expect(() => new Kinora({ apiKey: 'kin_live_x', baseUrl, dangerouslyAllowBrowser: true })).not.toThrow();
      expect(() => new Kinora({ token: () => 'short-lived', baseUrl })).not.toThrow();
      expect(() => new Kinora({ token: 'kin_token_x', baseUrl })).not.toThrow();
      expect(() => new Kinora({ token: 'kin_live_x', baseUrl })).toThrow(/page/);
      await expect(new Kinora({ token: async () => 'kin_live_x', baseUrl }).limits.get()).rejects.toThrow(/page/);
    } finally {
      delete page.window;
      delete page.document;
    }
  });

  test('calls the token function before every request', async () => {
    const { requests, baseUrl } = await serve(task);
    let count = 0;
    const kinora = new Kinora({ token: async () => `token-${++count}`, baseUrl });
    await kinora.videos.get('task_1');
    await kinora.videos.get('task_1');
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('fetches one fresh token after a 401, repeats the request with it, and then gives up', async () => {
    const refusal = json(401, problem('expired_api_key'));
    const { requests, baseUrl } = await serve(refusal, task, refusal, refusal);
    const refused: (string | undefined)[] = [];
    const kinora = new Kinora({ token: (former) => `token-${refused.push(former)}`, baseUrl, maxRetries: 0 });
    expect(await kinora.videos.get('task_1')).toMatchObject({ id: 'task_1' });
    await expect(kinora.videos.get('task_1')).rejects.toMatchObject({ status: 401 });
    expect(refused).toEqual([undefined, 'token-1', undefined, 'token-3']);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(
      [1, 2, 3, 4].map((count) => `Bearer token-${count}`),
    );
  });

  test('does not repeat a request whose key or fixed token is refused', async () => {
    const { requests, baseUrl } = await serve(json(401, problem('revoked_api_key')));
    await expect(new Kinora({ token: 'kin_token_x', baseUrl }).limits.get()).rejects.toMatchObject({ status: 401 });
    await expect(new Kinora({ apiKey: 'kin_test_x', baseUrl }).limits.get()).rejects.toMatchObject({ status: 401 });
    expect(requests).toHaveLength(2);
  });

  test('creates a token with what the caller asks for', async () => {
    const { kinora, requests } = await serve(json(200, { object: 'token', token: 'kin_token_x' }));
    expect(await kinora.tokens.create({ task_id: 'task_1', scopes: ['videos:read'] })).toMatchObject({
      token: 'kin_token_x',
    });
    await kinora.tokens.create();
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v1/tokens', '{"task_id":"task_1","scopes":["videos:read"]}'],
      ['POST', '/v1/tokens', '{}'],
    ]);
  });

  test('says which setting is missing or invalid', () => {
    vi.stubEnv('KINORA_API_KEY', '');
    vi.stubEnv('KINORA_BASE_URL', '');
    expect(() => new Kinora({ apiKey: 'kin_test_x' })).toThrow(KinoraError);
    expect(() => new Kinora({ baseUrl: 'http://127.0.0.1' })).toThrow(/KINORA_API_KEY/);
    expect(() => new Kinora({ apiKey: 'kin_test_x', baseUrl: 'kinora.example.com' })).toThrow(/must be a URL/);
    vi.unstubAllEnvs();
  });
});

describe('the options of a request', () => {
  test('timeoutMilliseconds replaces the time limit of the client', async ({ onTestFinished }) => {
    const received = Promise.withResolvers<void>();
    const { kinora, requests } = await serve(() => received.resolve());
    // The hour passes when the request has arrived, however long that takes.
    const hour = 3_600_000;
    const start = globalThis.setTimeout;
    const skipHours = vi.spyOn(globalThis, 'setTimeout').mockImplementation((run, milliseconds, ...rest) => {
      if (milliseconds !== hour) return start(run, milliseconds, ...rest);
      void received.promise.then(() => run(...rest));
      return start(() => undefined, 0);
    });
    onTestFinished(() => skipHours.mockRestore());
    const late = kinora.limits.get({ timeoutMilliseconds: hour, maxRetries: 0 });
    await expect(late).rejects.toThrow('The service did not respond in time.');
    expect(skipHours).toHaveBeenCalledWith(expect.any(Function), hour);
    expect(requests).toHaveLength(1);
  });

  test('maxRetries replaces the retries of the client', async () => {
    const { kinora, requests } = await serve(json(503, problem('overloaded'), soon));
    await expect(kinora.videos.textToVideo({ prompt: 'a boat' }, { maxRetries: 0 })).rejects.toMatchObject({
      status: 503,
    });
    expect(requests).toHaveLength(1);
    await expect(kinora.videos.get('task_1', { maxRetries: 1 })).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(3);
  });

  test('headers are sent with every request of a call, but do not replace those of the client', async () => {
    const { kinora, requests } = await serve(json(200, { id: 'file_1' }), task);
    const headers = {
      prefer: 'handling=strict',
      authorization: 'Basic x',
      'Idempotency-Key': 'mine',
      'x-none': undefined,
    };
    await kinora.videos.imageToVideo({ prompt: 'a boat', image: new Uint8Array([1]) }, { headers });
    expect(requests.map(({ headers }) => headers)).toEqual([
      expect.objectContaining({ prefer: 'handling=strict', authorization: 'Bearer kin_test_x' }),
      expect.objectContaining({ prefer: 'handling=strict', 'idempotency-key': expect.not.stringMatching('mine') }),
    ]);
    const unsendable = kinora.limits.get({ headers: { 'not a name': 'x' } });
    await expect(unsendable).rejects.toBeInstanceOf(InvalidRequestError);
  });

  test('the options of run apply to every request that it sends, except that only the create has a key', async () => {
    const { kinora, requests } = await serve(
      json(200, { id: 'task_1', is_final: false, status: 'queued' }),
      stream([event('task', { id: 'task_1', is_final: true, status: 'completed' })], 'end'),
    );
    await kinora.videos.run({ prompt: 'a boat' }, { headers: { prefer: 'handling=strict' }, idempotencyKey: 'mine' });
    expect(requests.map(({ headers }) => [headers['prefer'], headers['idempotency-key']])).toEqual([
      ['handling=strict', 'mine'],
      ['handling=strict', undefined],
    ]);
  });
});

describe('withResponse', () => {
  test('returns the data and the response with its headers', async () => {
    const { kinora } = await serve(json(200, { id: 'task_1' }, { 'x-ratelimit-remaining-requests': '9' }));
    const { data, response } = await kinora.videos.textToVideo({ prompt: 'a boat' }).withResponse();
    expect(data.id).toBe('task_1');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('9');
  });

  test('throws the same error as the call, and only once', async () => {
    const { kinora } = await serve(json(404, problem('task_not_found')));
    await expect(kinora.videos.get('task_1').withResponse()).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('an image that the service rejects', () => {
  const reason = 'image_url points to an address that this service does not fetch from.';
  const details = [{ param: 'image_url', code: 'invalid_parameter', message: reason }];
  const refused = json(400, problem('invalid_parameter', { message: reason, param: 'image_url', details }));
  const request = { prompt: 'a boat', image: 'https://127.0.0.1/a.png' };

  test.each(['run', 'imageToVideo', 'estimate'] as const)('is called image, as in the call of %s', async (call) => {
    const { kinora } = await serve(refused);
    const error = await kinora.videos[call](request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({
      message: 'image points to an address that this service does not fetch from.',
      param: 'image',
      details: [{ param: 'image', message: expect.stringMatching(/^image points/) }],
    });
  });
});
