import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DroppingProxy {
  url: string;
  /** How many times the proxy has cut all connections. */
  drops(): number;
  close(): Promise<void>;
}

/** Cuts all connections every `everyMilliseconds`, at most `times` times, never twice before something came back. */
export async function startDroppingProxy(
  target: string,
  { everyMilliseconds, times }: { everyMilliseconds: number; times: number },
): Promise<DroppingProxy> {
  const { hostname, port } = new URL(target);
  const connections = new Set<Socket>();
  let drops = 0;
  let hasAnswered = true;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      connections.add(socket);
      socket.on('error', () => undefined); // the other side was cut
      socket.on('close', () => {
        connections.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    far.on('data', () => {
      hasAnswered = true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(() => {
    if (connections.size === 0 || drops === times || !hasAnswered) return;
    drops += 1;
    hasAnswered = false;
    for (const socket of connections) socket.destroy();
  }, everyMilliseconds);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server has a port
    drops: () => drops,
    close: async () => {
      clearInterval(timer);
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
