import { join } from 'node:path';
import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { readLogLine } from '@kinora/stack/harness/log-lines';
import { smallestModel, writeModelsFile } from '@kinora/stack/harness/models-file';
import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { FreezeEvidence } from './freeze-evidence.ts';

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

export const copies = { worker: 2, relay: 2, api: 2, animatic: 3 };
export const endpoints = Array.from({ length: copies.animatic }, (_, copy) => `north-${copy + 1}`);
export const slotsPerEndpoint = 2;
const requestTimeoutMilliseconds = 5_000;

export async function startFreezeWorld(stack: Stack, report: (line: string) => void): Promise<FreezeWorld> {
  const evidence = emptyEvidence();
  const first = await findFreePorts(copies.animatic + 5);
  const [api, secondApi, hiddenApi, ...relayPorts] = Array.from({ length: 5 }, (_, n) => first + copies.animatic + n);
  if (!api || !secondApi || !hiddenApi) throw new Error('there are too few ports');
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
        return { KINORA_ANIMATIC_PORT: String(first + copy), KINORA_ANIMATIC_SLOTS: String(slotsPerEndpoint) };
    }
  };
  try {
    const installation = await startInstallation({
      stack,
      copies,
      environmentOf,
      ports: { api, animatic: first, private: hiddenApi },
      environment: {
        KINORA_MODELS_FILE: await writeModels(stack, first),
        // An interval and not a time-out: a round per minute would make each check a minute long.
        KINORA_RECONCILE_SECONDS: '5',
      },
      limits: { running: 100, waiting: 10_000, creates: 100_000, reads: 1_000_000 },
      onProgress: report,
      onLine: (role, line, copy) => record(evidence, role, line, copy),
    });
    const clientOf = (port: number): ApiClient =>
      createApiClient({
        url: `http://127.0.0.1:${port}`,
        key: installation.liveKey,
        timeoutMilliseconds: requestTimeoutMilliseconds,
      });
    const frozen: FreezeWorld['frozen'] = new Map();
    return {
      stack,
      installation,
      apis: [clientOf(api), clientOf(secondApi)],
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

function writeModels({ info }: Stack, firstPort: number): Promise<string> {
  return writeModelsFile(join(info.folder, 'models.yaml'), {
    models: [{ id: 'film', pool: 'north', ...smallestModel, durations: { min: 1, max: 8 } }],
    pools: [
      {
        id: 'north',
        engine: 'animatic',
        endpoints: endpoints.map((id, copy) => ({ id, url: `http://127.0.0.1:${firstPort + copy}` })),
      },
    ],
    allow_gaps: true,
  });
}

/** Collects from the logs which worker held an attempt and which jobs an engine accepted. */
function record(evidence: FreezeEvidence, role: RoleName, text: string, copy: number): void {
  const line = readLogLine(text);
  if (line === null) return;
  if (role === 'worker' && (line.event === 'attempt.begun' || line.event === 'attempt.taken_over')) {
    evidence.holders.push({
      at: Date.parse(line.time),
      pid: line.pid,
      taskId: String(line['taskId']),
      attempt: Number(line['attempt']),
      isTakeover: line.event === 'attempt.taken_over',
    });
  }
  if (role === 'animatic' && line.event === 'job.accepted') {
    evidence.submits.push({ jobId: String(line['jobId']), endpoint: endpoints[copy] ?? '' });
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
