import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Returns a URL on this machine where nothing listens. */
export async function unusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on TCP
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
