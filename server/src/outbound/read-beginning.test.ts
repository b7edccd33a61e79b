import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createGuardedFetcher } from './guarded-fetch.ts';
import { listen, respondingWith } from './loopback-server.fixture.ts';

async function post(server: Parameters<typeof listen>[0]) {
  await using listening = await listen(server);
  const policy = {
    allowHttp: true,
    allowedPorts: [listening.port],
    allowedNetworks: ['127.0.0.1/32'],
    deniedNetworks: [],
    publicHost: null,
  };
  const fetcher = createGuardedFetcher(policy);
  const response = await fetcher.fetch(`http://127.0.0.1:${listening.port}/`, {
    method: 'POST',
    body: Buffer.from('{}'),
    maxBytes: 1024,
    longBody: 'keep_beginning',
    timeoutMilliseconds: 10_000,
    maxRedirects: 0,
  });
  await fetcher.close();
  return { status: response.status, body: Buffer.from(response.body).toString() };
}

describe('a fetch that keeps the beginning of a body', () => {
  it('returns a long body up to the limit', async () => {
    const server = createServer((_, response) => response.end('x'.repeat(1_000_000)));
    expect(await post(server)).toEqual({ status: 200, body: 'x'.repeat(1024) });
  });

  it('returns what has arrived of a body that breaks off', async () => {
    const server = respondingWith('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', (socket) =>
      socket.destroySoon(),
    );
    expect(await post(server)).toEqual({ status: 200, body: 'half' });
  });

  it('waits only two seconds for a body that never ends', async () => {
    const server = respondingWith('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nslow', () => undefined);
    const before = performance.now();
    expect(await post(server)).toEqual({ status: 500, body: 'slow' });
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('returns a redirect like any other response', async () => {
    const server = createServer((_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end());
    expect(await post(server)).toEqual({ status: 302, body: '' });
  });
});
