import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HostileOrders } from './attack.ts';
import { type CpuCage, confine } from './cpu-cage.ts';
import type { AttackName, SiegeWindow } from './siege-evidence.ts';

/** The process of the hostile tenant, confined to a quarter of a core. */
export interface HostileTenant {
  cage: CpuCage;
  begin(attacks: readonly AttackName[]): Promise<void>;
  /** Ends the attacks and returns what they did. */
  end(): Promise<SiegeWindow['deeds']>;
  close(): Promise<void>;
}

const cores = 0.25;

export async function startHostileTenant(orders: HostileOrders): Promise<HostileTenant> {
  const child = fork(join(import.meta.dirname, 'hostile-process.ts'));
  const exited = once(child, 'exit');
  const gone = exited.then(() => Promise.reject(new Error('the hostile process has exited')));
  gone.catch(() => undefined); // the caller of `ask` gets the error
  const cage = confineOrKill(child);
  const ask = async (message: object): Promise<{ deeds?: SiegeWindow['deeds'] }> => {
    const replied = once(child, 'message');
    child.send(message);
    const [reply] = (await Promise.race([replied, gone])) as [{ deeds?: SiegeWindow['deeds'] }]; // its own messages
    return reply;
  };
  await ask({ kind: 'orders', orders });
  return {
    cage,
    begin: async (attacks) => void (await ask({ kind: 'begin', attacks })),
    end: async () => (await ask({ kind: 'end' })).deeds ?? {},
    close: async () => {
      child.kill('SIGKILL');
      await exited;
      cage.remove();
    },
  };
}

function confineOrKill(child: ChildProcess): CpuCage {
  try {
    return confine(child.pid ?? 0, cores);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}
