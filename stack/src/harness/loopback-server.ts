import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  url: string;
  /** Breaks off what is under way and frees the port. */
  close(): Promise<void>;
}

/** An HTTP server on a free loopback port. */
export async function startLoopbackServer(respond: RequestListener): Promise<LoopbackServer> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server has one
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
