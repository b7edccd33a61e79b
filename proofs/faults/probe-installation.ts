import { unlessBroken } from '@kinora/stack/harness/api-client';
import { northEndpoints } from '../north-pool.ts';
import type { Caller } from './caller.ts';
import type { Probe } from './fault-evidence.ts';
import type { FaultWorld } from './fault-world.ts';

const readsInARow = 100;
const slowestReadMilliseconds = 1_000;
/** Longer than the judges allow, so that a failed run shows by how much it was too slow. */
const patienceMilliseconds = 60_000;

/**
 * Shows that a fault is over: every endpoint completes a task that was created after it, and reads are fast again. All
 * of the tasks count as tasks of the caller.
 */
export async function probeInstallation(world: FaultWorld, caller: Caller, fault: string): Promise<Probe> {
  const at = Date.now();
  world.report(`probing after ${fault}`);
  const [secondsOf, readsAfterSeconds] = await Promise.all([useEndpoints(world, caller, at), readInARow(world, at)]);
  const seconds = Object.entries(secondsOf).map(([endpoint, after]) => `${endpoint} ${after ?? 'never'}`);
  world.report(`after ${fault}, seconds until a task was completed: ${seconds.join(', ')}; reads ${readsAfterSeconds}`);
  return { fault, at, secondsOf, readsAfterSeconds };
}

/** Keeps as many tasks active as there are endpoints until each of them has completed one. */
async function useEndpoints(world: FaultWorld, caller: Caller, at: number): Promise<Probe['secondsOf']> {
  const secondsOf: Probe['secondsOf'] = Object.fromEntries(northEndpoints.map((endpoint) => [endpoint, null]));
  const isOver = (): boolean =>
    Date.now() - at > patienceMilliseconds || Object.values(secondsOf).every((seconds) => seconds !== null);
  const keepOneActive = async (): Promise<void> => {
    while (!isOver()) {
      const task = await caller.create(isOver);
      if (task === null || !(await caller.untilCompleted(task, isOver))) return;
      const seconds = Math.round((Date.now() - at) / 100) / 10;
      const { endpoint = '' } = world.submits.findLast(({ jobId }) => jobId.startsWith(`${task.taskId}-`)) ?? {};
      secondsOf[endpoint] ??= seconds;
    }
  };
  await Promise.all(northEndpoints.map(keepOneActive));
  return secondsOf;
}

async function readInARow({ api }: FaultWorld, at: number): Promise<number | null> {
  let begunAt = Date.now();
  for (let inARow = 0; Date.now() - at < patienceMilliseconds; ) {
    const sentAt = performance.now();
    const response = await unlessBroken(api.get('/v1/videos?limit=1'));
    const isGood = response?.status === 200 && performance.now() - sentAt < slowestReadMilliseconds;
    inARow = isGood ? inARow + 1 : 0;
    if (!isGood) begunAt = Date.now();
    if (inARow === readsInARow) return Math.round((begunAt - at) / 100) / 10;
  }
  return null;
}
