import { afterAll, describe, expect, it } from 'vitest';
import { auth, parts, send, task, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const ours = 'https://app.example.com';
const url = '/v1/videos/text-to-video';
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,x-own' };
const closed = createApp({ ...parts, corsOrigins: [] });
afterAll(() => closed.close());

const sharing = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('an origin that the operator configured', () => {
  it('passes the preflight with the headers that its client wants to send', async () => {
    const { status, headers, body } = await send({ method: 'OPTIONS', url, headers: { origin: ours, ...preflight } });
    expect([status, body]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ours,
      'access-control-allow-headers': 'authorization,x-own',
      'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
      vary: 'Origin',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('may read responses and errors, and the headers that clients act on', async () => {
    for (const key of ['good', 'nobody']) {
      const headers = { origin: ours, authorization: `Bearer ${key}` };
      const response = await send({ url: taskUrl, headers });
      expect(response.headers['access-control-allow-origin']).toBe(ours);
      expect(response.headers['access-control-expose-headers']).toContain('retry-after');
    }
  });

  it('passes the preflight of /content, too, which has an OPTIONS route of its own for signed URLs', async () => {
    const headers = { origin: ours, ...preflight };
    const { status, headers: allowed } = await send({ method: 'OPTIONS', url: `${taskUrl}/content`, headers });
    expect([status, allowed['access-control-allow-origin']]).toEqual([204, ours]);
  });

  it('gets 404 and 405 for unknown URLs and methods like any other caller', async () => {
    const headers = { origin: ours, ...preflight };
    expect((await send({ method: 'OPTIONS', url: '/v1/nothing', headers })).status).toBe(404);
    expect((await send({ method: 'OPTIONS', url, headers: { origin: ours } })).status).toBe(405);
    expect((await send({ method: 'PUT', url, headers: { origin: ours, ...auth } })).status).toBe(405);
  });
});

describe('any other origin', () => {
  it.each(['https://evil.example.com', 'https://app.example.com.evil.com', 'http://app.example.com', 'null'])(
    '%s gets no CORS headers',
    async (origin) => {
      const preflighted = await send({ method: 'OPTIONS', url, headers: { origin, ...preflight } });
      expect([preflighted.status, sharing(preflighted.headers)]).toEqual([405, []]);
      const read = await send({ url: taskUrl, headers: { origin, ...auth } });
      expect([read.status, sharing(read.headers), read.headers['vary']]).toEqual([200, [], 'Origin']);
    },
  );
});

it('without configured origins no response has CORS headers or Vary', async () => {
  const preflighted = await closed.inject({ method: 'OPTIONS', url, headers: { origin: ours, ...preflight } });
  expect([preflighted.statusCode, sharing(preflighted.headers), preflighted.headers['vary']]).toEqual([
    405,
    [],
    undefined,
  ]);
});

it('a signed URL is open to pages of every origin', async () => {
  const expires = new Date(Date.now() + 60_000);
  const signed = new URL(parts.signer.sign(`/v1/videos/${task.id}/content`, 'video', expires));
  const read = await send({ url: `${signed.pathname}${signed.search}`, headers: { origin: ours } });
  expect(read.headers['access-control-allow-origin']).toBe('*');
});
