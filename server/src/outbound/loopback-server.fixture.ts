import { once } from 'node:events';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';

export interface LoopbackServer extends AsyncDisposable {
  port: number;
  /** How many connections have been made to it: the canary's whole purpose is that this stays 0. */
  connections(): number;
  /** Resolves once no connection is open. */
  idle(): Promise<void>;
}

/** Lets a server listen on a loopback address until the end of the block. */
export async function listen(server: Server, at: { host?: string; port?: number } = {}): Promise<LoopbackServer> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      server.emit('kinora:left');
    });
  });
  server.listen(at.port ?? 0, at.host ?? '127.0.0.1');
  await once(server, 'listening');
  return {
    // A TCP server's address is never the string of a pipe.
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async idle() {
      while (open.size > 0) await once(server, 'kinora:left');
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Creates a server that responds to every request with exactly these bytes, and then calls `then`. */
export function respondingWith(
  bytes: string | Uint8Array,
  then: (socket: Socket) => void = (socket) => socket.end(),
): Server {
  return createRawServer((socket) => {
    socket.once('data', () => {
      socket.write(bytes);
      then(socket);
    });
  });
}
