import { rmSync } from 'node:fs';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { watchDeaths } from './stack-deaths.ts';
import { withStackLock } from './stack-lock.ts';
import { checkPart, killPart, type Part, partPid, startPart, stopPart } from './stack-part.ts';
import { chooseBasePort, type PortOptions } from './stack-ports.ts';
import { postgresPart } from './stack-postgres.ts';
import {
  createState,
  type PartName,
  partNames,
  readState,
  StackError,
  type StackState,
  stackFolder,
  updateState,
} from './stack-state.ts';
import { storePart } from './stack-store.ts';
import { temporalPart } from './stack-temporal.ts';

export type { PartName } from './stack-state.ts';

interface StackInfo {
  name: string;
  folder: string;
  /** The URL for a superuser, so that a test can create a database of its own. */
  databaseUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  s3: { endpoint: string; region: string; bucket: string; accessKeyId: string; secretAccessKey: string };
}

export interface Stack {
  info: StackInfo;
  /** The settings that the server needs, as environment variables. */
  environment: Record<string, string>;
  pid(part: PartName): number | null;
  /** Ends a part as a crash would (SIGKILL) and waits until it has ended. */
  kill(part: PartName): Promise<void>;
  stop(part: PartName): Promise<void>;
  /** Starts a part unless it runs, and waits until it is usable. */
  start(part: PartName): Promise<void>;
  /** Calls the listener when a part has ended although this object did not end it. */
  onDeath(listener: (part: PartName) => void): void;
  down(): Promise<void>;
  wipe(): Promise<void>;
}

interface StackOptions extends PortOptions {
  onProgress?: ((line: string) => void) | undefined;
}

/** 30 s: a developer who has to free a port should not wait for long. */
const PORT_PATIENCE_MILLISECONDS = hangLimitMilliseconds / 10;
const REGION = 'us-east-1';
const BUCKET = 'kinora';
const NAMESPACE = 'kinora';

/** Starts Postgres, Temporal and S3, with all their data in .stack/<name>. Adopts parts that are already running. */
export function startStack(options: StackOptions): Promise<Stack> {
  const { name, onProgress } = options;
  return withStackLock(name, async () => {
    const folder = stackFolder(name);
    const state = await settleState(folder, options);
    const parts = partsOf(folder, state);
    const begin = async (part: PartName) => {
      const startedAt = performance.now();
      const outcome = await startPart(folder, parts[part]);
      onProgress?.(`${part} ${outcome} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    };
    // Check all parts before any of them starts, so that a port in use does not leave the stack half started.
    await Promise.all(Object.values(parts).map((part) => checkPart(folder, part, PORT_PATIENCE_MILLISECONDS)));
    const outcomes = await Promise.allSettled([begin('postgres').then(() => begin('temporal')), begin('s3')]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return openStack(name, state);
  });
}

/** Returns the stack of that name, running or not; null if it was never started or has been wiped. */
export function findStack(name: string): Stack | null {
  const state = readState(stackFolder(name));
  return state && openStack(name, state);
}

function openStack(name: string, state: StackState): Stack {
  const folder = stackFolder(name);
  const parts = partsOf(folder, state);
  const info = infoOf(name, folder, state);
  const deaths = watchDeaths(folder);
  const stopAll = async () => {
    for (const part of partNames) deaths.expectExit(part);
    if (!readState(folder)) return;
    await Promise.all([stopPart(folder, parts.temporal), stopPart(folder, parts.s3)]);
    await stopPart(folder, parts.postgres); // last, because Temporal writes to it until it has ended
  };
  return {
    info,
    environment: environmentOf(info),
    pid: (part) => partPid(folder, part),
    kill(part) {
      deaths.expectExit(part);
      return killPart(folder, parts[part]);
    },
    stop(part) {
      deaths.expectExit(part);
      return stopPart(folder, parts[part]);
    },
    async start(part) {
      await startPart(folder, parts[part]);
      deaths.watchAgain(part);
    },
    onDeath: (listener) => deaths.listen(listener),
    down: () => withStackLock(name, stopAll),
    wipe: () =>
      withStackLock(name, async () => {
        await stopAll();
        rmSync(folder, { recursive: true, force: true });
      }),
  };
}

/** Reads or creates the state of a stack, and chooses its ports. The ports of a running stack never change. */
async function settleState(folder: string, options: StackOptions): Promise<StackState> {
  const known = readState(folder);
  if (!known) return createState(folder, await chooseBasePort(options, undefined));
  if (partNames.some((part) => partPid(folder, part) !== null)) {
    if (options.basePort !== undefined && options.basePort !== known.basePort) {
      throw new StackError(
        `the stack ${options.name} is running with base port ${known.basePort}; stop it before you change its ports`,
      );
    }
    return known;
  }
  const basePort = await chooseBasePort(options, known.basePort);
  updateState(folder, (state) => {
    state.basePort = basePort;
  });
  return { ...known, basePort };
}

function partsOf(folder: string, state: StackState): Record<PartName, Part> {
  const { basePort, accessKeyId, secretAccessKey } = state;
  return {
    postgres: postgresPart(folder, basePort),
    s3: storePart(folder, { port: basePort + 1, region: REGION, bucket: BUCKET, accessKeyId, secretAccessKey }),
    temporal: temporalPart(folder, { postgresPort: basePort, firstPort: basePort + 2, namespace: NAMESPACE }),
  };
}

function infoOf(name: string, folder: string, { basePort, accessKeyId, secretAccessKey }: StackState): StackInfo {
  const endpoint = `http://127.0.0.1:${basePort + 1}`;
  return {
    name,
    folder,
    databaseUrl: `postgres://kinora@127.0.0.1:${basePort}/kinora`,
    temporalAddress: `127.0.0.1:${basePort + 2}`,
    temporalNamespace: NAMESPACE,
    s3: { endpoint, region: REGION, bucket: BUCKET, accessKeyId, secretAccessKey },
  };
}

function environmentOf(info: StackInfo): Record<string, string> {
  return {
    KINORA_DATABASE_URL: info.databaseUrl,
    KINORA_TEMPORAL_ADDRESS: info.temporalAddress,
    KINORA_TEMPORAL_NAMESPACE: info.temporalNamespace,
    KINORA_S3_ENDPOINT: info.s3.endpoint,
    KINORA_S3_REGION: info.s3.region,
    KINORA_S3_BUCKET: info.s3.bucket,
    KINORA_S3_ACCESS_KEY_ID: info.s3.accessKeyId,
    KINORA_S3_SECRET_ACCESS_KEY: info.s3.secretAccessKey,
  };
}
