import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

// Below 32768, where Linux starts to hand out source ports: a client that keeps trying to reach a killed server whose port
// lies in that range can end up connected to itself, and then holds the very port the server needs to come back.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Whether a server could listen on this loopback port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The first of `count` neighbouring loopback ports that are all free. */
export async function findFreePorts(count: number): Promise<number> {
  const blocks = Math.floor((HIGHEST - LOWEST) / count);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = LOWEST + randomInt(blocks) * count;
    if ((await takenPorts(first, count)).length === 0) return first;
  }
  throw new Error(`there are no ${count} free neighbouring ports between ${LOWEST} and ${HIGHEST}`);
}

/** Which of `count` ports from `first` on are in use. */
export async function takenPorts(first: number, count: number): Promise<number[]> {
  const ports = Array.from({ length: count }, (_, index) => first + index);
  const free = await Promise.all(ports.map(isPortFree));
  return ports.filter((_, index) => !free[index]);
}

/** Throws unless somebody listens on this loopback port. */
export async function connectOnce(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
