import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGuardedFetcher } from './guarded-fetch.ts';
import { listen, respondingWith } from './loopback-server.fixture.ts';
import { loopbackPolicy } from './outbound-policy.fixture.ts';
import { readBeginning } from './read-beginning.ts';

async function post(server: Parameters<typeof listen>[0]) {
  await using listening = await listen(server);
  const policy = loopbackPolicy(listening.port);
  const fetcher = createGuardedFetcher(policy);
  const response = await fetcher.fetch(`http://127.0.0.1:${listening.port}/`, {
    method: 'POST',
    body: Buffer.from('{}'),
    maxBytes: 1024,
    longBody: 'keep_beginning',
    timeoutMilliseconds: hangLimitMilliseconds,
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
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const body = new PassThrough();
    body.write('slow');
    const reading = readBeginning(body, 1024);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(body.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(Buffer.from(await reading).toString()).toBe('slow');
  });

  it('returns a redirect like any other response', async () => {
    const server = createServer((_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end());
    expect(await post(server)).toEqual({ status: 302, body: '' });
  });
});
