import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../outbound/loopback-server.fixture.ts';

/** Passes connections on to Postgres until it is frozen. */
export interface FreezableProxy extends AsyncDisposable {
  /** The address of the same database, through the proxy. */
  url: string;
  /** From now on nothing passes, in either direction, and no connection is closed: the other side has fallen silent. */
  freeze(): void;
  thaw(): void;
  isFrozen(): boolean;
}

export async function freezableProxy(databaseUrl: string): Promise<FreezableProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
      if (isFrozen) from.pause();
    }
  });
  const loopback = await listen(server);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(loopback.port);
  return {
    url: url.href,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    isFrozen: () => isFrozen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await loopback[Symbol.asyncDispose]();
    },
  };
}
