import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { StackError, stackFolder } from './stack-state.ts';

/** Runs `work` while no other process changes the stack. The kernel releases an abstract socket if its holder dies. */
export async function withStackLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = await takeLock(name);
  try {
    return await work();
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

/** Returns the lock of this name, or null if another process of this clone has it. */
export function tryLock(name: string): Promise<Server | null> {
  return listen(`\0kinora-stack-${createHash('sha256').update(stackFolder(name)).digest('hex').slice(0, 32)}`);
}

async function takeLock(name: string): Promise<Server> {
  const deadline = Date.now() + hangLimitMilliseconds;
  for (;;) {
    const server = await tryLock(name);
    if (server) return server;
    if (Date.now() > deadline)
      throw new StackError(
        `another command has held the lock of the stack ${name} for ${hangLimitMilliseconds / 1000} s`,
      );
    await sleep(100);
  }
}

function listen(address: string): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(address, () => resolve(server));
  });
}
