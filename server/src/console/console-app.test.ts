import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { consoleAccess } from './console-access.ts';
import { clock, consoleUrl, cookie, projectId, signedInAs, startConsoleApp } from './console-app.fixture.ts';
import { readStaticFiles } from './static-files.ts';

describe('GET /console-api/session', () => {
  it('tells a page who is signed in, their projects and where the API is', async () => {
    const { send } = startConsoleApp();
    const response = await send({ url: '/console-api/session' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      signed_in: true,
      person: { email: 'operator@example.com', is_operator: true },
      projects: [{ id: projectId, name: 'first', role: 'admin', is_suspended: false }],
      session: { method: 'password', signed_in_at: 1_795_003_200, fresh_until: 1_795_003_800 },
      api_url: 'https://video.example.com',
      environment: 'production',
      version: '1.2.3',
    });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.any(String) });
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  it('tells everybody else how to sign in', async () => {
    const { app } = startConsoleApp();
    const response = await app.inject({ url: '/console-api/session' });
    expect(response.json()).toEqual({
      signed_in: false,
      sign_in: { password: true, openid: null, development: false, needs_first_operator: false },
      api_url: 'https://video.example.com',
      store_origin: null,
      environment: 'production',
      version: '1.2.3',
    });
  });
});

describe('a request that changes something', () => {
  const signOut = { method: 'POST', url: '/console-api/sign-out' } as const;
  const own = { cookie, 'content-type': 'application/json', 'x-kinora-console': '1', origin: consoleUrl };

  it('is accepted from a page of the console', async () => {
    const { app } = startConsoleApp();
    const { origin: _, ...withoutOrigin } = own;
    const sameOrigin = { ...withoutOrigin, 'sec-fetch-site': 'same-origin' };
    for (const headers of [own, sameOrigin]) expect((await app.inject({ ...signOut, headers })).statusCode).toBe(204);
  });

  it('is refused if it comes from another site, or could come from a form', async () => {
    const { app } = startConsoleApp();
    const { 'x-kinora-console': _header, ...withoutHeader } = own;
    const { origin: _origin, ...withoutOrigin } = own;
    const refused = [
      withoutHeader,
      withoutOrigin,
      { ...own, origin: 'null' },
      { ...own, origin: 'https://video.example.com' },
      { ...own, origin: 'https://console.example.com.evil.example' },
      { ...withoutOrigin, 'sec-fetch-site': 'cross-site' },
      { ...withoutOrigin, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of refused) {
      const response = await app.inject({ ...signOut, headers });
      expect([response.statusCode, response.json().error.code]).toEqual([403, 'cross_site_request']);
    }
    const form = await app.inject({ ...signOut, headers: { ...own, 'content-type': 'text/plain' } });
    expect([form.statusCode, form.json().error.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('who may use a route', () => {
  it('nobody without a session reaches more than the ways to sign in', async () => {
    const { app } = startConsoleApp();
    const response = await app.inject({ url: '/console-api/sessions' });
    expect([response.statusCode, response.json().error.code]).toEqual([401, 'not_signed_in']);
    expect(response.headers['www-authenticate']).toBeUndefined();
  });

  it('every route of the access table exists', async () => {
    const { app } = startConsoleApp();
    await app.ready();
    const missing = Object.keys(consoleAccess).filter((route) => {
      const [method = '', url = ''] = route.split(' ');
      return !app.hasRoute({ method, url });
    });
    expect(missing).toEqual([]);
  });

  it('a route that is not in the access table cannot be registered', async () => {
    const { app } = startConsoleApp();
    expect(() => app.get('/console-api/forgotten', async () => null)).toThrow('does not say who may GET');
  });

  it('a password cannot be changed with a session whose sign-in is older than ten minutes', async () => {
    const signedInAt = new Date(clock.moment.getTime() - 10 * 60_000);
    const { send } = startConsoleApp({ findSession: async () => signedInAs('viewer', signedInAt) });
    const response = await send({
      method: 'POST',
      url: '/console-api/password',
      payload: { password: 'old password', new_password: 'a new password' },
    });
    expect([response.statusCode, response.json().error.code]).toEqual([403, 'sign_in_again']);
  });

  it('a session that ends, or loses its role, while the body of a request arrives changes nothing', async () => {
    for (const [after, refusal] of [
      [null, [401, 'not_signed_in']],
      [signedInAs('viewer'), [403, 'insufficient_role']],
    ] as const) {
      const found = [signedInAs('operator'), after];
      const { send } = startConsoleApp({ findSession: async () => found.shift() ?? null });
      const response = await send({ method: 'POST', url: '/console-api/projects', payload: { name: 'late' } });
      expect([response.statusCode, response.json().error.code]).toEqual(refusal);
    }
  });

  it('an unknown path of /console-api is an error, not the page', async () => {
    const { send } = startConsoleApp();
    for (const method of ['GET', 'POST'] as const) {
      const response = await send({ method, url: '/console-api/nothing' });
      expect([response.statusCode, response.json().error.code]).toEqual([404, 'not_found']);
    }
  });
});

it('the log line of a request names the person, and neither the cookie nor the query', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', roles: ['console'], write: (line) => lines.push(line) });
  const { send } = startConsoleApp({ log });
  await send({ url: '/console-api/session?code=one-time-code' });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'request.completed',
    route: '/console-api/session',
    status: 200,
    personId: expect.stringMatching(/^person_/),
    sessionId: expect.stringMatching(/^sess_/),
  });
  expect(lines.join()).not.toMatch(/one-time-code|ccccc/);
});

describe('the files of the console', () => {
  async function builtConsole() {
    const folder = temporaryFolder('console', onTestFinished);
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Kinora</title>');
    await writeFile(join(folder, 'assets/index-4f2a.js'), 'export {};'.repeat(100));
    return readStaticFiles(folder);
  }

  it('are served with a policy that lets a page use only the console, the API and the store', async () => {
    const files = await builtConsole();
    const { app } = startConsoleApp({ files, storeOrigin: 'https://store.example.com' });
    for (const url of ['/', '/queue?status=running', '/tasks/task_1', '/index.html']) {
      const response = await app.inject({ url });
      expect(response.body).toContain('<title>Kinora</title>');
      expect(response.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; " +
          "img-src 'self' blob: data: https://video.example.com https://store.example.com; " +
          "media-src 'self' blob: https://video.example.com https://store.example.com; " +
          "connect-src 'self' https://video.example.com https://store.example.com; " +
          "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'strict-transport-security': 'max-age=31536000',
        'cache-control': 'no-cache',
      });
    }
  });

  it('are compressed, and kept for a year if their name has a hash', async () => {
    const { app } = startConsoleApp({ files: await builtConsole() });
    const response = await app.inject({
      url: '/assets/index-4f2a.js',
      headers: { 'accept-encoding': 'gzip, br;q=0.9' },
    });
    expect(response.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(brotliDecompressSync(response.rawPayload).toString()).toBe('export {};'.repeat(100));
    const plain = await app.inject({ url: '/assets/index-4f2a.js', headers: { 'accept-encoding': 'br;q=0' } });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe('export {};'.repeat(100));
  });

  it('a page of an older version that asks for its own file gets an error, not the page', async () => {
    const { app } = startConsoleApp({ files: await builtConsole() });
    const response = await app.inject({ url: '/assets/index-0000.js' });
    expect([response.statusCode, response.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('are a page that says how to build them if they do not exist', async () => {
    const { app } = startConsoleApp({ files: await readStaticFiles('/nowhere') });
    const response = await app.inject({ url: '/' });
    expect(response.body).toContain('The console is not built.');
  });
});
