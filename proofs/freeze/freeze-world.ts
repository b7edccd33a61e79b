import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { readLogLine } from '@kinora/stack/harness/log-lines';
import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import { northEndpoints, northEngine, northSettings } from '../north-pool.ts';
import type { FreezeEvidence } from './freeze-evidence.ts';
import { readHolder } from './read-holder.ts';

/** Everything that the parts of the proof share. */
export interface FreezeWorld {
  stack: Stack;
  installation: Installation;
  /** One client per copy of the API. */
  apis: ApiClient[];
  /** The private ports of the relays, which serve metrics. */
  relayPorts: number[];
  /** What stands between each worker and Postgres, Temporal and the store. */
  networks: TcpProxy[][];
  /** Names of the frozen processes, such as `engine 1`, and how to let them go on. */
  frozen: Map<string, () => void>;
  evidence: FreezeEvidence;
  report: (line: string) => void;
  close(): Promise<void>;
}

export const copies = { worker: 2, relay: 2, api: 2, animatic: northEndpoints.length };
const requestTimeoutMilliseconds = 5_000;

export async function startFreezeWorld(stack: Stack, report: (line: string) => void): Promise<FreezeWorld> {
  const evidence = emptyEvidence();
  const first = await findFreePorts(copies.animatic + 1 + copies.relay);
  const secondApi = first + copies.animatic;
  const relayPorts = Array.from({ length: copies.relay }, (_, copy) => secondApi + 1 + copy);
  const networks = await Promise.all(Array.from({ length: copies.worker }, () => startNetwork(stack)));
  const closeNetworks = () => Promise.all(networks.flat().map((proxy) => proxy.close()));
  const environmentOf = (role: RoleName, copy: number): Record<string, string> => {
    switch (role) {
      case 'worker':
        return throughNetwork(stack, networks[copy] ?? []);
      case 'relay':
        return { KINORA_PRIVATE_PORT: String(relayPorts[copy]) };
      case 'api':
        return copy === 0 ? {} : { KINORA_PORT: String(secondApi), KINORA_PRIVATE_PORT: '0' };
      case 'animatic':
        return northEngine(first, copy);
      case 'console':
        return {};
    }
  };
  try {
    const installation = await startInstallation({
      stack,
      copies,
      environmentOf,
      environment: {
        ...(await northSettings(stack, first)),
        // An interval and not a time-out: a round per minute would make each check a minute long.
        KINORA_RECONCILE_SECONDS: '5',
      },
      limits: { running: 100, waiting: 10_000, creates: 100_000, reads: 1_000_000 },
      onProgress: report,
      onLine: (role, line, copy) => record(evidence, role, line, copy),
    });
    const clientOf = (url: string): ApiClient =>
      createApiClient({
        url,
        key: installation.liveKey,
        timeoutMilliseconds: requestTimeoutMilliseconds,
      });
    const frozen: FreezeWorld['frozen'] = new Map();
    return {
      stack,
      installation,
      apis: [clientOf(installation.url), clientOf(`http://127.0.0.1:${secondApi}`)],
      relayPorts,
      networks,
      frozen,
      evidence,
      report,
      close: async () => {
        for (const thaw of frozen.values()) thaw();
        await installation.close();
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

/** Collects from the logs which worker held an attempt and which jobs an engine accepted. */
function record(evidence: FreezeEvidence, role: RoleName, text: string, copy: number): void {
  const holder = role === 'worker' ? readHolder(text) : null;
  if (holder) evidence.holders.push(holder);
  const line = readLogLine(text);
  if (role === 'animatic' && line?.event === 'job.accepted') {
    evidence.submits.push({ jobId: String(line['jobId']), endpoint: northEndpoints[copy] ?? '' });
  }
}

function emptyEvidence(): FreezeEvidence {
  return {
    faults: [],
    checks: [],
    tasks: [],
    attempts: [],
    holders: [],
    submits: [],
    strangers: [],
    objectsSeen: [],
    objectsLeft: [],
  };
}
