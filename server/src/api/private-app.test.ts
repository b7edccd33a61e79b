import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { CallbackOutcome } from '../operations/attempts/handle-engine-callback.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createPrivateApp } from './private-app.ts';

let app: FastifyInstance;
const lines: string[] = [];
const log = createLog({ level: 'info', roles: [], write: (line) => void lines.push(line) });
afterEach(() => app?.close());

type HandleEngineCallback = (token: string, body: Readable) => Promise<CallbackOutcome>;

const ready = async () => ({ ready: true, checks: { postgres: 'ok' } as const, isolation: 'namespaces' });

async function start(
  handleEngineCallback: HandleEngineCallback,
  changed: Partial<Parameters<typeof createPrivateApp>[0]> = {},
): Promise<string> {
  const parts = { renderMetrics: async () => '', readiness: ready, names: [], token: null, log };
  app = createPrivateApp({ ...parts, handleEngineCallback, ...changed });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const never: HandleEngineCallback = async () => {
  throw new Error('no callback was expected');
};

describe('the private port', () => {
  it('serves metrics to Prometheus', async () => {
    const metrics = createMetrics();
    metrics.reconcilerFinding('restarted');
    const url = await start(never, { renderMetrics: () => metrics.render() });
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('kinora_reconciler_findings_total{kind="restarted"} 1');
    expect(text).toContain('kinora_reconciler_findings_total{kind="given-up"} 0');
    await metrics.close();
  });

  it('tells a supervisor of any role whether the process is alive and ready', async () => {
    const url = await start(never);
    const get = async (path: string) => {
      const response = await fetch(url + path);
      return [response.status, await response.json()];
    };
    expect(await get('/healthz')).toEqual([200, { status: 'ok' }]);
    expect(await get('/readyz')).toEqual([
      200,
      { status: 'ready', checks: { postgres: 'ok' }, isolation: 'namespaces' },
    ]);
    await app.close();
    const broken = await start(never, {
      readiness: async () => ({ ready: false, checks: { postgres: 'failed' }, isolation: null }),
    });
    const response = await fetch(`${broken}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not_ready', checks: { postgres: 'failed' }, isolation: null },
    ]);
  });

  it('shows metrics and failing parts only to those with the token, if there is one', async () => {
    const token = 'q8Zr2LxV0bYt5NcK7wDf3HsJ9uMaEoPg';
    await start(async () => 'taken', { token, renderMetrics: async () => 'a_metric 1' });
    const send = async (url: string, authorization?: string) => {
      const response = await app.inject({ url, headers: authorization === undefined ? {} : { authorization } });
      return [response.statusCode, response.body];
    };
    expect(await send('/metrics', `Bearer ${token}`)).toEqual([200, 'a_metric 1']);
    const details = { checks: { postgres: 'ok' }, isolation: 'namespaces' };
    expect(await send('/readyz', `bearer ${token}`)).toEqual([200, JSON.stringify({ status: 'ready', ...details })]);
    for (const wrong of [undefined, '', 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`]) {
      expect(await send('/metrics', wrong)).toEqual([401, '{"error":"token_required"}']);
      expect(await send('/readyz', wrong)).toEqual([200, '{"status":"ready"}']);
      expect(await send('/healthz', wrong)).toEqual([200, '{"status":"ok"}']);
    }
    // An engine has a token of its own, in the URL.
    expect((await app.inject({ method: 'POST', url: '/engine-callbacks/x' })).statusCode).toBe(200);
  });

  it('refuses requests for a name that is not its own, on every route', async () => {
    await start(never, { names: ['kinora-worker.internal'] });
    const requests = [
      ['GET', '/metrics'],
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['POST', '/engine-callbacks/x'],
      ['GET', '/nope'],
    ] as const;
    for (const [method, url] of requests) {
      const response = await app.inject({ method, url, headers: { host: 'rebound.example.com' } });
      expect([url, response.statusCode, response.body]).toEqual([url, 421, '{"error":"host_not_allowed"}']);
    }
    for (const host of ['kinora-worker.internal:9090', '10.42.0.17:9090'])
      expect((await app.inject({ url: '/metrics', headers: { host } })).statusCode).toBe(200);
  });

  it('has no other routes', async () => {
    const url = await start(never);
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/videos'],
      ['GET', '/engine-callbacks/token'],
      ['PUT', '/engine-callbacks/token'],
    ] as const)
      expect([path, (await fetch(url + path, { method })).status]).toEqual([path, 404]);
  });

  it.each([
    ['taken', 200],
    ['ignored', 200],
    ['unknown', 404],
    ['malformed', 400],
    ['too-large', 413],
  ] as const)('responds to a callback whose outcome is %s with status %i', async (outcome, status) => {
    const url = await start(async () => outcome);
    expect((await fetch(`${url}/engine-callbacks/token`, { method: 'POST', body: '{}' })).status).toBe(status);
  });

  it('passes on every token, however long it is', async () => {
    const url = await start(async (token) => (token === 'a'.repeat(5_000) ? 'unknown' : 'taken'));
    expect((await fetch(`${url}/engine-callbacks/${'a'.repeat(5_000)}`, { method: 'POST' })).status).toBe(404);
  });

  it('returns 503 if taking a callback fails, so that the engine may repeat it, and logs no token', async () => {
    const url = await start(async () => Promise.reject(new Error('the store is unreachable')));
    const response = await fetch(`${url}/engine-callbacks/secret-token`, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toEqual([503, { outcome: 'failed' }]);
    expect(lines.join('')).toContain('the store is unreachable');
    expect(lines.join('')).not.toContain('secret-token');
  });

  it.each(['application/json', 'text/plain', 'video/mp4', ''])(
    'passes the body on as it arrives (%j)',
    async (type) => {
      const bodies: string[] = [];
      const url = await start(async (token, body) => {
        bodies.push(`${token} ${await text(body)}`);
        return 'taken';
      });
      const headers = type === '' ? {} : { 'content-type': type };
      const request = httpRequest(`${url}/engine-callbacks/token`, { method: 'POST', headers });
      request.write('{"a"');
      request.end(': 1}');
      const [response] = await once(request, 'response');
      expect(response.statusCode).toBe(200);
      expect(bodies).toEqual(['token {"a": 1}']);
      response.resume();
    },
  );

  it('responds before an endless body ends, and then closes the connection', async () => {
    const url = await start(async () => 'unknown');
    const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port });
    socket.on('error', () => undefined); // the sender gets one when the server closes the connection
    let received = '';
    socket.on('data', (chunk) => void (received += String(chunk)));
    socket.write(
      `POST /engine-callbacks/x HTTP/1.1\r\nHost: ${new URL(url).host}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const sending = setInterval(() => socket.write(`400\r\n${'a'.repeat(1024)}\r\n`), 10);
    await once(socket, 'close');
    clearInterval(sending);
    expect(received).toMatch(/^HTTP\/1\.1 404 /);
  });
});
