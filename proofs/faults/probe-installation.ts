import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { unlessBroken } from '@kinora/stack/harness/api-client';
import { northEndpoints } from '../north-pool.ts';
import type { Caller } from './caller.ts';
import type { Probe } from './fault-evidence.ts';
import type { FaultWorld } from './fault-world.ts';

const readsInARow = 100;
/** What may limit a probe. */
interface ProbeLimits {
  /** Longer reads do not count as answered; 1 s unless told. */
  slowestReadMilliseconds?: number;
  /** The endpoints whose engines are up; all unless told. */
  endpoints?: readonly string[];
}

/** Shows that a fault is over: every endpoint completes a new task of the caller, and reads are fast again. */
export async function probeInstallation(
  world: FaultWorld,
  caller: Caller,
  fault: string,
  { slowestReadMilliseconds = 1_000, endpoints = northEndpoints }: ProbeLimits = {},
): Promise<Probe> {
  const at = Date.now();
  world.report(`probing after ${fault}`);
  const [secondsOf, readsAfterSeconds] = await Promise.all([
    useEndpoints(world, caller, at, endpoints),
    readInARow(world, at, slowestReadMilliseconds),
  ]);
  const seconds = Object.entries(secondsOf).map(([endpoint, after]) => `${endpoint} ${after ?? 'never'}`);
  world.report(`after ${fault}, seconds until a task was completed: ${seconds.join(', ')}; reads ${readsAfterSeconds}`);
  return { fault, at, secondsOf, readsAfterSeconds };
}

/** Keeps as many tasks active as there are endpoints until each of them has completed one. */
async function useEndpoints(
  world: FaultWorld,
  caller: Caller,
  at: number,
  endpoints: readonly string[],
): Promise<Probe['secondsOf']> {
  const secondsOf: Probe['secondsOf'] = Object.fromEntries(endpoints.map((endpoint) => [endpoint, null]));
  const isOver = (): boolean =>
    Date.now() - at > hangLimitMilliseconds || Object.values(secondsOf).every((seconds) => seconds !== null);
  const keepOneActive = async (): Promise<void> => {
    while (!isOver()) {
      const task = await caller.create(isOver);
      if (task === null || !(await caller.untilCompleted(task, isOver))) return;
      const seconds = Math.round((Date.now() - at) / 100) / 10;
      const { endpoint = '' } = world.submits.findLast(({ jobId }) => jobId.startsWith(`${task.taskId}-`)) ?? {};
      if (endpoint in secondsOf) secondsOf[endpoint] ??= seconds;
    }
  };
  await Promise.all(northEndpoints.map(keepOneActive));
  return secondsOf;
}

async function readInARow({ api }: FaultWorld, at: number, slowestMilliseconds: number): Promise<number | null> {
  let begunAt = Date.now();
  for (let inARow = 0; Date.now() - at < hangLimitMilliseconds; ) {
    const sentAt = performance.now();
    const response = await unlessBroken(api.get('/v1/videos?limit=1'));
    const isGood = response?.status === 200 && performance.now() - sentAt < slowestMilliseconds;
    inARow = isGood ? inARow + 1 : 0;
    if (!isGood) begunAt = Date.now();
    if (inARow === readsInARow) return Math.round((begunAt - at) / 100) / 10;
  }
  return null;
}
