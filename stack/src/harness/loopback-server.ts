import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer extends AsyncDisposable {
  url: string;
  port: number;
  /** Closes all connections and frees the port. */
  close(): Promise<void>;
}

/** Starts an HTTP server on a free loopback port. */
export async function startLoopbackServer(respond: RequestListener): Promise<LoopbackServer> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, port, close, [Symbol.asyncDispose]: close };
}
