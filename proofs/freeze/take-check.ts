import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { unlessBroken } from '@kinora/stack/harness/api-client';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { pause } from '@kinora/stack/harness/pause';
import { listKeys, withStore } from '../list-keys.ts';
import { northEndpoints } from '../north-pool.ts';
import type { TaskEvidence } from './freeze-evidence.ts';
import { isFrozen } from './freeze-faults.ts';
import { allSlots, createTask, livelyApis } from './freeze-tasks.ts';
import type { FreezeWorld } from './freeze-world.ts';
import { limitSeconds } from './judge-freeze.ts';

const readsInARow = 100;
const readMilliseconds = 1_000;
/** A probe that ends late is still worth a figure, and shows how late. */
const patienceMilliseconds = (limitSeconds + 5) * 1000;

/** Checks from now on that each endpoint completes new tasks, that reads are quick and that the reconciler works. */
export async function takeCheck(world: FreezeWorld, why: string): Promise<void> {
  const { stack, evidence, report } = world;
  const at = Date.now();
  const [probeSeconds, readSeconds, roundSeconds] = await Promise.all([
    probeEndpoints(world, at),
    secondsUntilQuickReads(world, at),
    secondsUntilRound(world, at),
  ]);
  evidence.checks.push({ at, probeSeconds, readSeconds, roundSeconds });
  report(`checked ${why}: ${JSON.stringify({ probeSeconds, readSeconds, roundSeconds })}`);
  // None of the finished files in the store may be deleted.
  evidence.objectsSeen = [...new Set([...evidence.objectsSeen, ...(await listFinished(stack.info.s3))])];
}

/** Creates small tasks, one after the other per slot, until each endpoint whose engine runs has completed one. */
async function probeEndpoints(world: FreezeWorld, at: number): Promise<Record<string, number | null>> {
  const wanted = northEndpoints.filter((_, copy) => !isFrozen(world, 'engine', copy));
  const found: Record<string, number | null> = Object.fromEntries(wanted.map((endpoint) => [endpoint, null]));
  const isOver = (): boolean => Date.now() > at + patienceMilliseconds || !Object.values(found).includes(null);
  const probe = async (): Promise<void> => {
    while (!isOver()) {
      const task = await createTask(world, 1);
      const note = async (): Promise<boolean> => {
        if (isOver() || !(await isCompleted(world, task))) return isOver();
        const endpoint = endpointOf(world, task);
        if (endpoint in found) found[endpoint] ??= secondsSince(at);
        return true;
      };
      await becomesTrueWithin(hangLimitMilliseconds, note, { everyMilliseconds: 400 });
    }
  };
  await Promise.all(Array.from({ length: allSlots }, probe));
  return found;
}

async function isCompleted(world: FreezeWorld, { taskId }: TaskEvidence): Promise<boolean> {
  const response = await unlessBroken(livelyApis(world)[0]?.get(`/v1/videos/${taskId}`) ?? Promise.resolve(null));
  return response?.body.status === 'completed';
}

/** Returns the endpoint that rendered the task last. */
function endpointOf({ evidence }: FreezeWorld, { taskId }: TaskEvidence): string {
  return evidence.submits.findLast(({ jobId }) => jobId.startsWith(`${taskId}-`))?.endpoint ?? '';
}

/** Reads until 100 reads in a row were quick, and returns when the first of them was sent. */
async function secondsUntilQuickReads(world: FreezeWorld, at: number): Promise<number | null> {
  const taskId = world.evidence.tasks.find((task) => task.taskId !== '')?.taskId;
  let inARow = 0;
  let beganAt = at;
  for (let reads = 0; inARow < readsInARow; reads += 1) {
    const apis = livelyApis(world);
    const sentAt = Date.now();
    if (inARow === 0) beganAt = sentAt;
    if (beganAt > at + patienceMilliseconds) return null;
    const response = await unlessBroken(
      apis[reads % apis.length]?.get(`/v1/videos/${taskId}`) ?? Promise.resolve(null),
    );
    inARow = response?.status === 200 && Date.now() - sentAt < readMilliseconds ? inARow + 1 : 0;
    if (inARow === 0) await pause(100);
  }
  return secondsSince(at, beganAt);
}

async function secondsUntilRound(world: FreezeWorld, at: number): Promise<number | null> {
  const hasEnded = async (): Promise<boolean> => (await lastRoundAt(world)).at > at;
  const isInTime = await becomesTrueWithin(hangLimitMilliseconds, hasEnded, { everyMilliseconds: 500 });
  return isInTime ? secondsSince(at) : null;
}

/** Returns when a relay last ended a round of the reconciler, and which copy did; 0 if none says so. */
export async function lastRoundAt({ relayPorts }: FreezeWorld): Promise<{ at: number; copy: number }> {
  const moments = await Promise.all(
    relayPorts.map(async (port, copy) => {
      // oxlint-disable-next-line kinora/no-time-judgement -- the freeze proof is nightly, and a frozen relay must not delay it
      const signal = AbortSignal.timeout(1_000);
      const text = await fetch(`http://127.0.0.1:${port}/metrics`, { signal }).then(
        (response) => response.text(),
        () => '', // This relay is frozen.
      );
      const value = /^kinora_reconciler_last_round_timestamp_seconds(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1];
      return { at: Number(value ?? 0) * 1000, copy };
    }),
  );
  return moments.reduce((latest, one) => (one.at > latest.at ? one : latest));
}

/** Lists the finished files; raw outputs are deleted once the task has ended. */
export async function listFinished(s3: FreezeWorld['stack']['info']['s3']): Promise<string[]> {
  const keys = await withStore(s3, (client) => listKeys(client, s3.bucket));
  return keys.filter((key) => !key.includes('/raw-'));
}

function secondsSince(at: number, now = Date.now()): number {
  return Math.round((now - at) / 100) / 10;
}
