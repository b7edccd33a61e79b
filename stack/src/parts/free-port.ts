import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

// Below 32768, where Linux starts to assign source ports. A client that keeps trying to reach a killed server on a port
// in that range can end up connected to itself, and then holds the very port that the server needs when it restarts.
const SOON_USED = { lowest: 20_000, highest: 32_000 };
const RESERVED = { lowest: 32_000, highest: 32_700 };

/** The ports that this process was given. Most programs listen later than others look for free ports. */
const given = new Set<number>();

/** Whether a server could listen on this loopback port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Returns the first of `count` consecutive loopback ports that are all free, for programs that are about to start. */
export function findFreePorts(count: number): Promise<number> {
  return findIn(SOON_USED, count);
}

/**
 * Returns the first of `count` consecutive loopback ports that are all free, and may stay unused for long: no other
 * process gets one of them from `findFreePorts`.
 */
export function reservePorts(count: number): Promise<number> {
  return findIn(RESERVED, count);
}

async function findIn({ lowest, highest }: typeof SOON_USED, count: number): Promise<number> {
  const blocks = Math.floor((highest - lowest) / count);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = lowest + randomInt(blocks) * count;
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if (ports.some((port) => given.has(port)) || (await takenPorts(first, count)).length > 0) continue;
    for (const port of ports) given.add(port);
    return first;
  }
  throw new Error(`there are no ${count} consecutive free ports between ${lowest} and ${highest}`);
}

/** Returns those of the `count` ports from `first` on that are in use. */
export async function takenPorts(first: number, count: number): Promise<number[]> {
  const ports = Array.from({ length: count }, (_, index) => first + index);
  const free = await Promise.all(ports.map(isPortFree));
  return ports.filter((_, index) => !free[index]);
}

/** Connects to this loopback port once; throws if no program listens there. */
export async function connectOnce(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
