import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { readLogLine } from '@kinora/stack/harness/log-lines';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import { northEndpoints, northEngine, northSettings } from '../north-pool.ts';
import type { Submit } from './fault-evidence.ts';
import { type RoundWatch, watchRounds } from './watch-rounds.ts';

/** An installation with two copies of each role, three engines, and shipped time limits. */
export interface FaultWorld {
  stack: Stack;
  installation: Installation;
  /** A client of each copy of the API. It gives up on a request in time, because a fault may leave it without a response. */
  apis: ApiClient[];
  /** The client of the first copy. */
  api: ApiClient;
  /** Every job that an engine accepted, by the engines' own logs. */
  submits: Submit[];
  rounds: RoundWatch;
  /** The private ports of the relays, which serve metrics. */
  relayPorts: number[];
  /** Resolves when every process that exited by itself runs again; a supervisor restarts them, as in production. */
  untilRestarted(): Promise<void>;
  report: (line: string) => void;
  /** Stops the roles. */
  close(): Promise<void>;
}

interface FaultWorldOptions {
  stack: Stack;
  /** These override the stack's own variables, for example to put a proxy in front of Postgres. */
  environment: Record<string, string>;
  /** Variables of one copy of a role, for example the address of its own proxy in front of Postgres. */
  environmentOf?: (role: RoleName, copy: number) => Record<string, string>;
  /** When a client gives up on a request; after 20 s unless told. */
  requestTimeoutMilliseconds?: number;
  /** Whether processes that exited by themselves are started again; true unless told. */
  isSupervised?: boolean;
  /** The folder of the build to begin with. */
  build?: string;
  onLine?: (role: RoleName, line: string) => void;
  report: (line: string) => void;
}

const startTries = 5;
/** How many processes of each role run. */
export const copies = { animatic: northEndpoints.length, worker: 2, relay: 2, api: 2 } as const;

export async function startFaultWorld(options: FaultWorldOptions): Promise<FaultWorld> {
  const { stack, report, requestTimeoutMilliseconds: timeoutMilliseconds = 20_000, isSupervised = true } = options;
  const firstPort = await findFreePorts(copies.animatic + copies.relay + 1);
  const relayPorts = Array.from({ length: copies.relay }, (_, copy) => firstPort + copies.animatic + copy);
  const secondApiPort = firstPort + copies.animatic + copies.relay;
  const submits: Submit[] = [];
  const restarts = new Set<Promise<void>>();
  let isClosing = false;
  const restart = async (role: RoleName, copy: number): Promise<void> => {
    report(`${role} exited by itself; restarting it`);
    for (let tries = 1; !isClosing; tries += 1) {
      try {
        await installation.start(role, {}, copy);
        return;
      } catch (error) {
        if (tries === startTries) throw error;
      }
    }
  };
  const installation = await startInstallation({
    stack,
    copies,
    ...(options.build !== undefined && { build: options.build }),
    limits: { creates: 10_000, reads: 1_000_000, running: 100, waiting: 10_000 },
    environment: {
      ...(await northSettings(stack, firstPort)),
      // An interval and not a time-out: with a round per minute, each proof would take minutes longer.
      KINORA_RECONCILE_SECONDS: '5',
      ...options.environment,
    },
    environmentOf: (role, copy) => ({
      ...(role === 'animatic' ? northEngine(firstPort, copy) : {}),
      ...(role === 'relay' ? { KINORA_PRIVATE_PORT: String(relayPorts[copy]) } : {}),
      ...(role === 'api' && copy > 0 ? { KINORA_PORT: String(secondApiPort), KINORA_PRIVATE_PORT: '0' } : {}),
      ...options.environmentOf?.(role, copy),
    }),
    onProgress: report,
    onLine: (role, text, copy) => {
      options.onLine?.(role, text);
      if (role !== 'animatic') return;
      const line = readLogLine(text);
      if (line?.event !== 'job.accepted') return;
      // The engine's own time may be wrong on purpose, so the time of arrival counts.
      submits.push({ jobId: String(line['jobId']), endpoint: northEndpoints[copy] ?? '', at: Date.now() });
    },
    onEnd: (role, copy) => {
      if (isClosing || !isSupervised) return;
      const restarting = restart(role, copy);
      restarting.catch(() => undefined); // `untilRestarted` throws it
      restarts.add(restarting);
    },
  });
  const rounds = watchRounds(relayPorts);
  const clientOf = (url: string): ApiClient => createApiClient({ url, key: installation.liveKey, timeoutMilliseconds });
  const api = clientOf(installation.url);
  return {
    stack,
    installation,
    apis: [api, clientOf(`http://127.0.0.1:${secondApiPort}`)],
    api,
    submits,
    rounds,
    relayPorts,
    untilRestarted: async () => {
      await Promise.all(restarts);
    },
    report,
    close: async () => {
      isClosing = true;
      rounds.close();
      await Promise.allSettled(restarts);
      await installation.close();
    },
  };
}
