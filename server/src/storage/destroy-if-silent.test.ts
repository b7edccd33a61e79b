import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { listen } from '../outbound/loopback-server.fixture.ts';
import { destroyIfSilent } from './destroy-if-silent.ts';

it('a response is destroyed if its sender falls silent, but not if its reader pauses', async () => {
  // More than all buffers on the way hold, so that the sender is stopped by a reader that pauses.
  const bytes = Buffer.alloc(20_000_000);
  await using server = await listen(
    createServer((request, response) => {
      response.setHeader('content-length', bytes.length);
      if (request.url === '/whole') response.end(bytes);
      else response.write(bytes.subarray(0, 10));
    }),
  );
  const open = async (path: string): Promise<IncomingMessage> => {
    const request = get(`http://127.0.0.1:${server.port}${path}`);
    const [response] = await once(request, 'response');
    request.on('error', () => undefined); // the response reports the same error
    destroyIfSilent(response, 1_500);
    return response;
  };
  const paused = await open('/whole');
  await once(paused, 'readable');
  const silent = await open('/beginning');
  silent.resume();
  await expect(once(silent, 'end')).rejects.toThrow('the store fell silent');
  expect(paused.destroyed).toBe(false);
  let received = 0;
  for await (const chunk of paused) received += chunk.length;
  expect(received).toBe(bytes.length);
});
