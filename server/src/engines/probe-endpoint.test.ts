import { closing } from '@kinora/stack/harness/closing';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { expect, it } from 'vitest';
import { createAnimaticEngine } from './animatic/animatic-engine.ts';
import { probeEndpoint } from './probe-endpoint.ts';

async function probeServer(responses: Record<string, [status: number, body: string]>) {
  await using server = await startLoopbackServer(({ url = '' }, response) => {
    const [status, body] = responses[url] ?? [404, ''];
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await using engine = closing(createAnimaticEngine({ url: server.url }));
  return await probeEndpoint(engine);
}

const itself = '{"engine":"animatic","version":"1","slots":2}';

it('a probe returns the description of an endpoint and the latency of its health check', async () => {
  expect(await probeServer({ '/healthz': [200, '{}'], '/': [200, itself] })).toEqual({
    reason: null,
    latencyMilliseconds: expect.any(Number),
    description: { engine: 'animatic', version: '1', slots: 2, models: null, problems: [] },
  });
});

it('a probe says why an endpoint is not ready, has no usable description or is unreachable', async () => {
  expect(await probeServer({ '/healthz': [503, '{}'], '/': [200, itself] })).toMatchObject({
    reason: 'it responds with status 503',
    description: { version: '1' },
  });
  expect(await probeServer({ '/healthz': [200, '{}'], '/': [200, '<html>'] })).toMatchObject({
    reason: expect.stringMatching(/^it does not describe itself: /),
    description: null,
  });
  const unreachable = createAnimaticEngine({ url: 'http://127.0.0.1:1' });
  expect(await probeEndpoint(unreachable)).toEqual({
    reason: expect.stringMatching(/^its health check failed: .*ECONNREFUSED/),
    latencyMilliseconds: null,
    description: null,
  });
  await unreachable.close();
});
