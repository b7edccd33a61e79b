import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { expect, test } from 'vitest';
import { OutputInvalid } from '../errors.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { strictPolicy } from '../outbound/outbound-policy.fixture.ts';
import { fetchNamedOutput } from './fetch-named-output.ts';

test('the token of an engine is sent to URLs below its own, never to its neighbour behind the same gateway', async () => {
  const seen: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  await using gateway = await startLoopbackServer(({ url, headers }, response) => {
    seen.push({ url, headers });
    response.end('a video');
  });
  const origin = gateway.url;
  const fetcher = createGuardedFetcher(strictPolicy);
  const parts = { engine: { url: `${origin}/one`, token: 'secret' }, fetcher };

  expect(String(await buffer(await fetchNamedOutput(parts, `${origin}/one/out.mp4?x=1`)))).toBe('a video');
  expect(seen).toMatchObject([{ url: '/one/out.mp4?x=1', headers: { authorization: 'Bearer secret' } }]);
  for (const path of ['/two/out.mp4', '/one/../two/out.mp4', '/one/%2e%2e/two/out.mp4', '/onetwo/out.mp4']) {
    await expect(fetchNamedOutput(parts, origin + path)).rejects.toBeInstanceOf(OutputInvalid);
  }
  expect(seen).toHaveLength(1);
});
