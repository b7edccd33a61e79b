import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HonestRequest } from './siege-evidence.ts';
import type { SiegeSize } from './siege-size.ts';

export interface HonestOrders {
  url: string;
  key: string;
  /** Requests per second. */
  rates: SiegeSize['rates'];
  /** Completed tasks of the tenant. */
  taskIds: string[];
}

/** A process that sends the honest tenant's requests. */
export interface HonestTenant {
  /** Stops, waits for the last responses and returns all requests. */
  collect(): Promise<HonestRequest[]>;
  close(): void;
}

export function startHonestTenant(orders: HonestOrders): HonestTenant {
  const child = fork(join(import.meta.dirname, 'honest-process.ts'));
  child.send({ kind: 'start', orders });
  return {
    collect: async () => {
      child.send({ kind: 'collect' });
      const [message] = (await once(child, 'message')) as [{ requests: HonestRequest[] }]; // its only message
      return message.requests;
    },
    close: () => void child.kill('SIGKILL'),
  };
}
