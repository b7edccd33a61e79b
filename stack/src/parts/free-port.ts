import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

// Below 32768, where Linux starts to assign source ports. A client that keeps trying to reach a killed server on a port
// in that range can end up connected to itself, and then holds the very port that the server needs when it restarts.
const SOON_USED = { lowest: 20_000, highest: 32_000 };
const RESERVED = { lowest: 32_000, highest: 32_700 };

/** The ports that this process has reserved. Most programs listen later than others look for free ports. */
const reserved = new Set<number>();
/** Where this process looks next. Processes begin at different places, so that they seldom meet. */
let nextBlock = process.pid * 64;

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

/** Returns the first of `count` free consecutive ports, which `findFreePorts` gives to no other process. */
export function reservePorts(count: number): Promise<number> {
  return findIn(RESERVED, count);
}

async function findIn({ lowest, highest }: typeof SOON_USED, count: number): Promise<number> {
  const blocks = Math.floor((highest - lowest) / count);
  for (let tried = 0; tried < blocks; tried += 1) {
    const first = lowest + (nextBlock++ % blocks) * count;
    if (!portsFrom(first, count).some((port) => reserved.has(port)) && (await tryToReserve(first, count))) return first;
  }
  throw new Error(`there are no ${count} consecutive free ports between ${lowest} and ${highest}`);
}

/** Reserves these ports until this process ends, unless one is in use or another process has reserved it. */
export async function tryToReserve(first: number, count: number): Promise<boolean> {
  const locks = new Map<number, Server>();
  const give = (isReserved: boolean): boolean => {
    for (const [port, lock] of locks) {
      if (isReserved) reserved.add(port);
      else lock.close();
    }
    return isReserved;
  };
  for (const port of portsFrom(first, count)) {
    if (reserved.has(port)) continue;
    const lock = await lockPort(port);
    if (!lock) return give(false);
    locks.set(port, lock);
  }
  return give((await takenPorts(first, count)).length === 0);
}

/** Locks a port among the processes of this machine. The kernel releases an abstract socket when its holder dies. */
function lockPort(port: number): Promise<Server | null> {
  const lock = createServer().unref();
  return new Promise((resolve) => {
    lock.once('error', () => resolve(null));
    lock.listen(`\0kinora-port-${port}`, () => resolve(lock));
  });
}

function portsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Returns those of the `count` ports from `first` on that are in use. */
export async function takenPorts(first: number, count: number): Promise<number[]> {
  const ports = portsFrom(first, count);
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
