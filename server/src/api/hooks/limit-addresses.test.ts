import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import { auth, clock, links, parts, publicUrl, task, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const moment = clock.moment;
afterEach(() => {
  clock.moment = moment;
});

/** Creates an API behind a proxy, with unused limits of 3 requests per minute without a valid key. */
function freshApp() {
  let lookups = 0;
  const app = createApp({
    ...parts,
    trustedProxies: ['127.0.0.0/8'],
    keylessPerMinute: 3,
    authenticate: async (key, beforeLookup) => {
      if (key === 'good') return parts.authenticate('good', beforeLookup);
      beforeLookup();
      lookups += 1;
      throw new AppError('invalid_api_key');
    },
  });
  const request = async (address: string, url: string, headers: Record<string, string> = {}) => {
    const response = await app.inject({ url, headers: { 'x-forwarded-for': address, ...headers } });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  };
  const statuses = async (count: number, ...parameters: Parameters<typeof request>) => {
    const found: number[] = [];
    for (let index = 0; index < count; index += 1) found.push((await request(...parameters)).status);
    return found;
  };
  return { request, statuses, lookups: () => lookups };
}

const unknown = { authorization: 'Bearer made-up' };

describe('an address over its limit', () => {
  it('gets 429 instead of a lookup of its key, with an error that says when to try again', async () => {
    const { request, statuses, lookups } = freshApp();
    expect(await statuses(3, '192.0.2.1', taskUrl, unknown)).toEqual([401, 401, 401]);
    const refused = await request('192.0.2.1', taskUrl, unknown);
    expect([refused.status, refused.headers['retry-after'], lookups()]).toEqual([429, '20', 3]);
    expect(JSON.parse(refused.body).error).toMatchObject({
      code: 'rate_limited',
      message:
        'Rate limit reached for requests without a valid key from your address (3 at once, 3 per minute). Try again in 20 s.',
    });
    clock.moment = new Date(moment.getTime() + 20_000);
    expect(await statuses(2, '192.0.2.1', taskUrl, unknown)).toEqual([401, 429]);
  });

  it('shares one limit between unknown keys, missing keys and documentation', async () => {
    const { statuses } = freshApp();
    expect([
      ...(await statuses(1, '192.0.2.1', taskUrl)),
      ...(await statuses(1, '192.0.2.1', taskUrl, unknown)),
      ...(await statuses(2, '192.0.2.1', '/openapi.json')),
      ...(await statuses(1, '192.0.2.1', taskUrl)),
    ]).toEqual([401, 401, 200, 429, 429]);
  });

  it('does not affect valid keys and health checks from the same address', async () => {
    const { statuses } = freshApp();
    await statuses(10, '192.0.2.1', taskUrl, unknown);
    expect(await statuses(5, '192.0.2.1', taskUrl, auth)).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(5, '192.0.2.1', '/healthz')).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(5, '192.0.2.1', '/readyz')).toEqual([200, 200, 200, 200, 200]);
  });

  it('does not affect other addresses; the addresses of one IPv6 /64 share a limit', async () => {
    const { statuses } = freshApp();
    await statuses(10, '192.0.2.1', taskUrl, unknown);
    expect(await statuses(1, '192.0.2.2', taskUrl, unknown)).toEqual([401]);
    await statuses(3, '2001:db8::1', taskUrl, unknown);
    expect(await statuses(1, '2001:db8::2', taskUrl, unknown)).toEqual([429]);
    expect(await statuses(1, '2001:db8:0:1::1', taskUrl, unknown)).toEqual([401]);
  });

  it('has a separate limit for signed URLs, ten times as high', async () => {
    const { statuses } = freshApp();
    const { files } = await links(task);
    const url = String(files?.videoUrl).slice(publicUrl.length);
    await statuses(10, '192.0.2.1', taskUrl, unknown);
    const found = await statuses(31, '192.0.2.1', url);
    expect(found.slice(0, 30).every((status) => status === 200)).toBe(true);
    expect(found.at(30)).toBe(429);
  });
});
