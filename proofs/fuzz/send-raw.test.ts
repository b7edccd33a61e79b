import type { RequestListener } from 'node:http';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { expect, it } from 'vitest';
import { sendRaw, statusesIn } from './send-raw.ts';

async function exchange(bytes: string, respond: RequestListener) {
  await using server = await startLoopbackServer(respond);
  const { received, hangs } = await sendRaw(server.port, Buffer.from(bytes));
  return { statuses: statusesIn(received), hangs };
}

it('collects every response of a connection that the server would keep', async () => {
  const two = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n';
  const statusOf: Record<string, number> = { '/a': 200, '/b': 500 };
  const found = await exchange(
    two,
    ({ url = '' }, response) => void response.writeHead(statusOf[url] ?? 204).end('ok'),
  );
  expect(found).toEqual({ statuses: [200, 500, 204], hangs: false });
});

it('ends when the server closes the connection, with or without a response', async () => {
  const one = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const closing = await exchange(one, (_, response) => void response.writeHead(400, { connection: 'close' }).end());
  expect(closing).toEqual({ statuses: [400], hangs: false });
  expect(await exchange(one, ({ socket }) => void socket.destroy())).toEqual({ statuses: [], hangs: false });
});
