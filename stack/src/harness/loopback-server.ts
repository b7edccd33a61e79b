import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer extends AsyncDisposable {
  url: string;
  port: number;
  /** Closes all connections and frees the port. */
  close: () => Promise<void>;
}

/** Starts an HTTP server on loopback, by default on a free port. */
export async function startLoopbackServer(
  respond: RequestListener,
  wantedPort = 0,
  host = '127.0.0.1',
): Promise<LoopbackServer> {
  const server = createServer(respond).listen(wantedPort, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://${host}:${port}`, port, close, [Symbol.asyncDispose]: close };
}
