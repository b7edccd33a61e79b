import { connect, createServer, type Socket } from 'node:net';
import { type LoopbackServer, listen } from './loopback-server.fixture.ts';

/** A proxy in front of a server on loopback whose connections can fall silent, as if the server's host had vanished. */
export interface SilentProxy extends LoopbackServer {
  /** From now on no connection carries anything, and none ends. */
  silence(): void;
  /** New connections work again. Those from before stay silent. */
  restore(): void;
}

export async function startSilentProxy(targetPort: number): Promise<SilentProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let isSilent = false;
  const server = createServer((client) => {
    if (isSilent) return;
    const target = connect(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [client, target];
    pairs.add(pair);
    client.pipe(target);
    target.pipe(client);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  const loopback = await listen(server);
  return {
    ...loopback,
    silence() {
      isSilent = true;
      for (const [client, target] of pairs) {
        client.unpipe(target);
        target.unpipe(client);
        client.pause();
        target.pause();
      }
    },
    restore() {
      isSilent = false;
    },
  };
}
