import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parts } from '../app.fixture.ts';
import { createApp } from '../app.ts';

/** The largest body of a create, and how many of them fit into the share of one project. */
const bodyBytes = 14 * 1024 * 1024;
const inShare = 3;

let app: ReturnType<typeof createApp>;
let open: ClientRequest[] = [];
/** The requests whose body the API reads, by the name of their key. */
let reading: string[] = [];

beforeEach(async () => {
  reading = [];
  app = createApp({
    ...parts,
    authenticate: async (name, beforeLookup) => ({
      ...(await parts.authenticate('good', beforeLookup)),
      keyId: name,
      projectId: name,
    }),
  });
  app.addHook('preParsing', async (request) => {
    reading.push(request.caller?.projectId ?? '');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const request of open.splice(0)) request.destroy();
  await app.close();
});

/** Begins a create of a project; its body arrives only once the test sends it. */
function begin(project: string, headers: Record<string, string | number> = { 'content-length': bodyBytes }) {
  const request = sendRequest({
    method: 'POST',
    port: (app.server.address() as AddressInfo).port,
    path: '/v1/videos/text-to-video',
    headers: { authorization: `Bearer ${project}`, 'content-type': 'application/json', ...headers },
  });
  request.on('error', () => undefined);
  request.flushHeaders();
  open.push(request);
  return request;
}

async function responseTo(request: ClientRequest) {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = (await json(response)) as { error?: { code: string; message: string } };
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], error: body.error };
}

it('a project that sends more bodies at once than its share waits and is refused, and others do not notice', async () => {
  const held = Array.from({ length: inShare }, () => begin('hostile'));
  await expect.poll(() => reading).toHaveLength(inShare);
  // Slowly, but fast enough not to be closed.
  const sending = setInterval(() => {
    for (const request of held) request.write(Buffer.alloc(16 * 1024, ' '));
  }, 100);
  const chunked = responseTo(begin('hostile', { 'transfer-encoding': 'chunked' }));
  const refused = responseTo(begin('hostile'));
  const other = begin('other');
  await expect.poll(() => reading).toContain('other');
  other.end(JSON.stringify({ prompt: 'a cat' }).padEnd(bodyBytes));
  expect(await responseTo(other)).toMatchObject({ status: 200 });
  const small = begin('hostile', { 'content-length': 20 });
  small.end(JSON.stringify({ prompt: 'a cat' }).padEnd(20).slice(0, 20));
  expect(await responseTo(small)).toMatchObject({ status: 200 });

  expect(reading.filter((project) => project === 'hostile')).toHaveLength(inShare + 1);
  expect(await chunked).toMatchObject({ status: 429 });
  expect(await refused).toMatchObject({
    status: 429,
    retryAfter: '5',
    error: { code: 'rate_limited', message: expect.stringContaining('more than 48 MiB of request bodies at once') },
  });
  clearInterval(sending);
});

it('a body gives its bytes back when its response has ended, and when its sender breaks off', async () => {
  for (let round = 1; round <= 3; round += 1) {
    const held = Array.from({ length: inShare }, () => begin('busy'));
    await expect.poll(() => reading).toHaveLength(round * inShare);
    const [broken, ...whole] = held;
    broken?.destroy();
    for (const request of whole) request.end(JSON.stringify({ prompt: 'a cat' }).padEnd(bodyBytes));
    for (const request of whole) expect((await responseTo(request)).status).toBe(200);
  }
});
