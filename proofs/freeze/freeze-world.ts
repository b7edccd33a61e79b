import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import type { Stack } from '@kinora/stack/parts/stack';
import { copies, type FaultWorld, startFaultWorld } from '../faults/fault-world.ts';
import type { FreezeEvidence } from './freeze-evidence.ts';
import { readHolder } from './read-holder.ts';

/** Everything that the parts of the proof share. */
export interface FreezeWorld extends FaultWorld {
  /** What stands between each worker and Postgres, Temporal and the store. */
  networks: TcpProxy[][];
  /** Names of the frozen processes, such as `engine 1`, and how to let them go on. */
  frozen: Map<string, () => void>;
  evidence: FreezeEvidence;
}

export async function startFreezeWorld(stack: Stack, report: (line: string) => void): Promise<FreezeWorld> {
  const holders: FreezeEvidence['holders'] = [];
  const networks = await Promise.all(Array.from({ length: copies.worker }, () => startNetwork(stack)));
  const closeNetworks = () => Promise.all(networks.flat().map((proxy) => proxy.close()));
  try {
    const world = await startFaultWorld({
      stack,
      environment: {},
      environmentOf: (role, copy) => (role === 'worker' ? throughNetwork(stack, networks[copy] ?? []) : {}),
      requestTimeoutMilliseconds: 5_000,
      // Nothing may exit because something was frozen.
      isSupervised: false,
      onLine: (role, line) => {
        const holder = role === 'worker' ? readHolder(line) : null;
        if (holder) holders.push(holder);
      },
      report,
    });
    const frozen: FreezeWorld['frozen'] = new Map();
    return {
      ...world,
      networks,
      frozen,
      evidence: { ...emptyEvidence(), holders, submits: world.submits },
      close: async () => {
        for (const thaw of frozen.values()) thaw();
        await world.close();
        await closeNetworks();
      },
    };
  } catch (error) {
    await closeNetworks();
    throw error;
  }
}

async function startNetwork({ info }: Stack): Promise<TcpProxy[]> {
  const addresses = [info.databaseUrl, `tcp://${info.temporalAddress}`, info.s3.endpoint];
  return Promise.all(addresses.map((address) => startTcpProxy({ port: Number(new URL(address).port) })));
}

function throughNetwork({ info }: Stack, [postgres, temporal, store]: TcpProxy[]): Record<string, string> {
  const at = (address: string, proxy: TcpProxy | undefined): string =>
    address.replace(/:\d+(?=$|\/)/, `:${proxy?.port}`);
  return {
    KINORA_DATABASE_URL: at(info.databaseUrl, postgres),
    KINORA_TEMPORAL_ADDRESS: at(info.temporalAddress, temporal),
    KINORA_S3_ENDPOINT: at(info.s3.endpoint, store),
  };
}

function emptyEvidence(): Omit<FreezeEvidence, 'holders' | 'submits'> {
  return { faults: [], checks: [], tasks: [], attempts: [], strangers: [], objectsSeen: [], objectsLeft: [] };
}
