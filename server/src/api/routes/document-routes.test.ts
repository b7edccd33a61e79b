import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import apiReference from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { app, parts, send } from '../app.fixture.ts';
import { createApp } from '../app.ts';
import { describeRoutes } from '../openapi.ts';

const urls = ['/favicon.ico', '/openapi.json', '/docs/reference.json', '/docs/', '/docs/js/scalar.js'];

it('a document has an ETag, and is not sent again to a client that has it', async () => {
  for (const url of urls) {
    const { status, headers, body } = await send({ url });
    expect([status, headers['content-encoding'], headers['content-length']]).toEqual([
      200,
      undefined,
      String(Buffer.byteLength(body)),
    ]);
    expect(headers['cache-control']).toBe('public, max-age=300');
    const etag = String(headers['etag']);
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await send({ url, headers: { 'if-none-match': etag } });
    expect([again.status, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    expect((await send({ url, headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
  }
});

it('a document is compressed for clients that accept gzip', async () => {
  for (const url of urls) {
    const plain = await send({ url });
    const zipped = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip, deflate' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(zipped.headers['content-type']).toBe(plain.headers['content-type']);
    const refused = await send({ url, headers: { 'accept-encoding': 'gzip;q=0, identity' } });
    expect(refused.headers['content-encoding']).toBeUndefined();
    const head = await send({ method: 'HEAD', url, headers: { 'if-none-match': String(plain.headers['etag']) } });
    expect([head.status, head.body, head.headers['etag']]).toEqual([200, '', plain.headers['etag']]);
  }
});

it('the OpenAPI document that is served is what the routes describe, with the address of the installation', async () => {
  const described = createApp({ ...parts, beforeRoutes: (routes) => describeRoutes(routes, parts.publicUrl) });
  await described.ready();
  const { json } = await send({ url: '/openapi.json' });
  expect(json).toEqual(JSON.parse(JSON.stringify(described.swagger())));
  await described.close();
});

it('the script of the page is that of its package', async () => {
  const reference = Fastify();
  await reference.register(apiReference, { configuration: { url: '/' } });
  const { body } = await send({ url: '/docs/js/scalar.js' });
  expect(body === (await reference.inject('/reference/js/scalar.js')).body).toBe(true);
  await reference.close();
});

it('the page may run only our file and the inline script that it was sent with', async () => {
  const { body, headers } = await send({ url: '/docs/' });
  const inline = [...body.matchAll(/<script type="text\/javascript">([^]*?)<\/script>/g)].map(
    ([, script = '']) => script,
  );
  const hashes = inline.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(hashes).toHaveLength(1);
  expect(headers['content-security-policy']).toContain(`script-src 'self' ${hashes.join(' ')};`);
  expect(body).not.toMatch(/ on[a-z]+=/);
});

it('browsers are told to use https only if callers reach the API by https', async () => {
  expect((await send({ url: '/docs/' })).headers['strict-transport-security']).toBe('max-age=31536000');
  const plain = createApp({ ...parts, publicUrl: 'http://127.0.0.1:8080' });
  expect((await plain.inject('/healthz')).headers['strict-transport-security']).toBeUndefined();
  await plain.close();
});

it('an operator can switch the documents off', async () => {
  const without = createApp({ ...parts, hasDocs: false });
  for (const url of [...urls, '/docs', '/']) expect((await without.inject(url)).statusCode).toBe(404);
  expect((await without.inject('/healthz')).statusCode).toBe(200);
  await without.close();
});

it('the address of the installation leads to the API reference, whose browser finds an icon', async () => {
  const { status, headers } = await send({ url: '/' });
  expect([status, headers['location']]).toEqual([302, '/docs/']);
  const icon = await send({ url: '/favicon.ico' });
  expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
});
