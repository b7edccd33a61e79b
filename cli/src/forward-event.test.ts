import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KinoraEvent } from '@kinora/sdk';
import { afterEach, expect, test } from 'vitest';
import { forwardEvent } from './forward-event.ts';
import { makeWebhookSecret } from './sign-webhook.ts';

/** Only these fields are read. */
const event = { id: 'evt_1', type: 'video.started', created_at: 1, data: { id: 'task_1' } } as KinoraEvent;
const secret = makeWebhookSecret();
let server: Server | null = null;

async function handler(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // a TCP server has a port
}

async function close(): Promise<void> {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  server = null;
}
afterEach(close);

const forward = (url: string, signal = new AbortController().signal) => forwardEvent(event, { url, secret, signal });

test('a 2xx response is not a problem', async () => {
  const url = await handler((_request, response) => response.writeHead(204).end());
  expect(await forward(url)).toMatchObject({ status: 204, problem: null });
});

test('an error response of the handler is shown in one line that cannot control the terminal', async () => {
  const url = await handler((_request, response) => response.writeHead(500).end('Error: \x1b[2Jboom\n    at handler'));
  expect(await forward(url)).toMatchObject({ status: 500, problem: 'Error: [2Jboom at handler' });
});

test('a redirect is not followed, because the service would not follow it either', async () => {
  let requests = 0;
  const url = await handler((_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(await forward(url)).toMatchObject({ status: 307, problem: 'a redirect counts as a failure' });
  expect(requests).toBe(1);
});

test('a handler that is down is reported as a problem and does not throw', async () => {
  const url = await handler(() => undefined);
  await close();
  expect(await forward(url)).toMatchObject({ status: null, problem: 'connection refused' });
  // A host with two addresses fails with a different error.
  expect(await forward(url.replace('127.0.0.1', 'localhost'))).toMatchObject({ problem: 'connection refused' });
});

test('a handler that hangs does not delay the end', async () => {
  const stop = new AbortController();
  const url = await handler(() => stop.abort());
  expect(await forward(url, stop.signal)).toMatchObject({ status: null });
});
