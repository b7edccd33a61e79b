import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { app, auth, parts, send, storedFile, taskUrl } from './app.fixture.ts';
import { createApp } from './app.ts';
import { routeAccess } from './hooks/route-access.ts';

const codeFor = async (method: 'GET' | 'POST', key: string) => {
  const url = method === 'GET' ? taskUrl : '/v1/videos/image-to-video';
  const { status, json } = await send({ method, url, headers: { authorization: `bearer ${key}` } });
  return `${status} ${json.error?.code}`;
};

describe('every response', () => {
  it('has a request id: the caller’s own if it is valid, otherwise a new one', async () => {
    for (const url of ['/healthz', '/nope', taskUrl, '/v1/videos/%zz', '/docs/']) {
      const mine = await send({ url, headers: { 'x-request-id': 'mine_1-A' } });
      expect(mine.headers['x-request-id']).toBe('mine_1-A');
      for (const id of ['has space', 'ü', 'a'.repeat(65), '']) {
        const other = await send({ url, headers: { 'x-request-id': id } });
        expect(other.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
      }
    }
    expect((await send({ url: '/nope', headers: { 'x-request-id': 'mine' } })).json.request_id).toBe('mine');
  });

  it('keeps browsers from sniffing its type, running it or sharing it with other origins', async () => {
    for (const url of ['/healthz', '/nope', taskUrl]) {
      const { headers } = await send({ url, headers: auth });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'strict-transport-security': 'max-age=31536000',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('the router', () => {
  it('returns 404 for an unknown URL before it requires a key or reads a body', async () => {
    for (const request of [
      { url: '/nope' },
      { url: '/v1/nope' },
      { method: 'POST', url: '/v1/nope', payload: '{', headers: { 'content-type': 'application/json' } },
      { url: '/v1/videos/%zz' },
      { url: '/%E0%A4%A' },
    ] as const) {
      const { status, json, headers } = await send(request);
      expect([status, json.error.code, headers['x-should-retry']]).toEqual([404, 'not_found', 'false']);
    }
  });

  it('does not take an empty id for an unknown task', async () => {
    for (const url of ['/v1/videos/', '/v1/videos//content', '/v1/models/', '/v1/webhook-endpoints/']) {
      const { status, json } = await send({ url, headers: auth });
      expect([url, status, json.error.code]).toEqual([url, 404, 'not_found']);
      expect(json.error.message).toContain('an id is missing');
    }
  });

  it('returns 405 for an unsupported method and lists the supported ones', async () => {
    const cases = [
      ['GET', '/v1/videos/text-to-video', 'POST'],
      ['PUT', taskUrl, 'DELETE, GET, HEAD'],
      ['PUT', `${taskUrl}/content`, 'GET, HEAD, OPTIONS'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['OPTIONS', taskUrl, 'DELETE, GET, HEAD'],
      ['DELETE', `${taskUrl}/cancel`, 'POST'],
    ] as const;
    for (const [method, url, allow] of cases) {
      const { status, json, headers } = await send({ method, url, payload: '{' });
      expect([status, json.error.code, headers.allow]).toEqual([405, 'method_not_allowed', allow]);
    }
  });

  it('returns 414 for a URL that is too long', async () => {
    expect((await send({ url: `/${'a'.repeat(9000)}` })).json.error.code).toBe('uri_too_long');
    expect((await send({ url: `/v1/videos/${'a'.repeat(4000)}`, headers: auth })).json.error.code).toBe(
      'task_not_found',
    );
  });
});

describe('an API key', () => {
  it('is required before anything else in the request is checked', async () => {
    const { status, json, headers } = await send({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      payload: 'not json',
    });
    expect(status).toBe(401);
    expect(json).toEqual({
      error: {
        message: expect.stringContaining('Authorization: Bearer'),
        type: 'authentication_error',
        code: 'missing_api_key',
        param: null,
        retryable: false,
        details: [],
      },
      request_id: expect.stringMatching(/^req_/),
    });
    expect(headers['www-authenticate']).toBe('Bearer realm="kinora"');
    for (const authorization of ['', 'good', 'Basic good', 'Bearer', 'Bearer a b']) {
      expect((await send({ url: taskUrl, headers: { authorization } })).json.error.code).toBe('missing_api_key');
    }
  });

  it('must be known and have the scope, and its project must not be suspended', async () => {
    expect(await codeFor('GET', 'bad')).toBe('401 invalid_api_key');
    expect(await codeFor('POST', 'reader')).toBe('403 insufficient_scope');
    expect(await codeFor('GET', 'reader')).toBe('200 undefined');
    expect(await codeFor('GET', 'suspended')).toBe('403 project_suspended');
    expect(await codeFor('POST', 'suspended')).toBe('403 project_suspended');
  });

  it('of a suspended project deletes tasks and files, which is all that it can do', async () => {
    const headers = { authorization: 'Bearer suspended' };
    const statusOf = async (method: 'GET' | 'DELETE', url: string) => (await send({ method, url, headers })).status;
    expect(await statusOf('DELETE', taskUrl)).toBe(200);
    expect(await statusOf('DELETE', `/v1/files/${storedFile.id}`)).toBe(200);
    expect(await statusOf('GET', `/v1/files/${storedFile.id}`)).toBe(403);
    const erasing = Object.entries(routeAccess).filter(
      ([, access]) => typeof access === 'object' && access.whileSuspended,
    );
    expect(erasing.map(([route]) => route)).toEqual(['DELETE /v1/videos/:task_id', 'DELETE /v1/files/:file_id']);
  });
});

describe('a failure of the service', () => {
  it('is 503 with Retry-After while the database is unreachable', async () => {
    const { status, json, headers } = await send({ url: taskUrl, headers: { authorization: 'Bearer database-away' } });
    expect([status, headers['retry-after'], headers['x-should-retry']]).toEqual([503, '1', 'true']);
    expect(json.error).toMatchObject({ type: 'api_error', code: 'overloaded', retryable: true });
  });

  it('is 500 without any detail of the cause, and only a read may be retried', async () => {
    const read = await send({ url: taskUrl, headers: { authorization: 'Bearer broken' } });
    const write = await send({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      headers: { authorization: 'Bearer broken' },
    });
    expect([read.status, read.headers['x-should-retry']]).toEqual([500, 'true']);
    expect([write.status, write.headers['x-should-retry']]).toEqual([500, 'false']);
    // Request ids are random and may contain "srv" by chance.
    expect((read.body + write.body).replaceAll(/req_\w+/g, '')).not.toMatch(/hunter2|srv/);
    expect(read.json.error.code).toBe('internal_error');
  });
});

describe('routes that need no key', () => {
  it('report whether the service is alive and ready', async () => {
    expect(await send({ url: '/healthz' })).toMatchObject({ status: 200, json: { status: 'ok' } });
    const ready = await send({ url: '/readyz' });
    // Only the private port shows which parts fail.
    expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }]);
    const failing = createApp({
      ...parts,
      readiness: async () => ({ ready: false, checks: { postgres: 'failed' }, isolation: null }),
    });
    const response = await failing.inject('/readyz');
    expect([response.statusCode, response.json()]).toEqual([503, { status: 'not_ready' }]);
    await failing.close();
  });

  it('serve an OpenAPI document with one operation id per route and no dangling reference', async () => {
    const { json } = await send({ url: '/openapi.json' });
    expect(json.openapi).toBe('3.1.0');
    const operations = Object.values<Record<string, { operationId?: string }>>(json.paths).flatMap((methods) =>
      Object.values(methods),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids).toEqual(expect.arrayContaining(['createTextToVideo', 'getVideo', 'getHealth']));
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
    const pointers = JSON.stringify(json).match(/"\$ref":"[^"]+"/g) ?? [];
    const names = Object.entries<object>(json.components).flatMap(([section, parts]) =>
      Object.keys(parts).map((name) => `"$ref":"#/components/${section}/${name}"`),
    );
    expect(pointers.filter((pointer) => !names.includes(pointer))).toEqual([]);
  });

  it('serve an API reference that loads its script from this server', async () => {
    const { body, headers } = await send({ url: '/docs/' });
    expect(body).toContain('<script src="js/scalar.js">');
    expect(body).not.toMatch(/https?:\/\//);
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect((await send({ url: '/docs/js/scalar.js' })).body.length).toBeGreaterThan(1_000_000);
  });
});

describe('a request that is not valid HTTP', () => {
  it.each([
    ['malformed_request', 'NONSENSE\r\n\r\n'],
    ['malformed_request', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['malformed_request', 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['uri_too_long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['headers_too_large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('gets our error body: %s', async (code, request) => {
    if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
    const address = app.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server is not listening');
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(address.port, '127.0.0.1', () => socket.write(request));
      socket.setEncoding('utf8').on('error', reject);
      socket.on('data', (text: string) => {
        resolve(text);
        socket.destroy();
      });
    });
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d .*\r\n/);
    expect(head.toLowerCase()).toContain('x-request-id: req_');
    expect(head.toLowerCase()).toContain('x-should-retry: false');
    expect(JSON.parse(body)).toMatchObject({
      error: { code, type: 'invalid_request_error' },
      request_id: expect.any(String),
    });
  });
});
