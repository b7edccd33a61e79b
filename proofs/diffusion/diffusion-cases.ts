import type { ApiClient, Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import type { Installation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { pause } from '@kinora/stack/harness/pause';
import { signalProcess, waitUntilGone } from '@kinora/stack/parts/processes';
import type { RealEngine } from '@kinora/stack/parts/real-engine';
import type { Blow, SeenCancel, SeenTask } from './diffusion-evidence.ts';
import type { Recipe } from './diffusion-models.ts';
import { busyShare, secondsUntilIdle } from './engine-load.ts';
import type { EngineProxy } from './engine-proxy.ts';
import { type FollowedTask, followTask } from './follow-task.ts';

export interface Parts {
  installation: Installation;
  cog: RealEngine;
  proxy: EngineProxy;
  api: ApiClient;
  folder: string;
  report: (line: string) => void;
}

/** Whatever is not over by then hangs. */
const patienceSeconds = 120;
const blowAtProgress = 10;

/** Renders a video that nobody disturbs. */
export async function renderVideo(parts: Parts, name: string, recipe: Recipe): Promise<SeenTask> {
  const followed = await followTask(parts, { name, blow: 'none', recipe });
  return told(parts, await followed.end(Date.now(), patienceSeconds));
}

/** Cancels a task mid-run and watches the engine's processor time; then the slot must serve the next task. */
export async function cancelMidRun(parts: Parts, name: string): Promise<{ tasks: SeenTask[]; cancel: SeenCancel }> {
  const { api, cog, report } = parts;
  const followed = await followLong(parts, name, 'cancelled');
  const busyShareBefore = await busyShare(cog);
  const since = performance.now();
  const [{ status: answered }, idleAfterSeconds] = await Promise.all([
    api.cancel(followed.taskId),
    secondsUntilIdle(cog, since, 20),
  ]);
  report(`${name}: the engine was idle ${idleAfterSeconds?.toFixed(2)} s after the cancel`);
  const cancelled = await followed.end(Date.now(), patienceSeconds);
  const next = await renderVideo(parts, `the one after ${name}`, { model: 'wan-short', seed: 7 });
  return { tasks: [told(parts, cancelled), next], cancel: { name, answered, busyShareBefore, idleAfterSeconds } };
}

/** Kills the server and all that it has started, and starts it again after a while. */
export async function killEngine(parts: Parts, name: string, downSeconds: number): Promise<SeenTask> {
  const { cog } = parts;
  const followed = await followLong(parts, name, 'engine killed');
  await killAll([cog.pid, ...cog.workerPids()]);
  return restartEngine(parts, followed, downSeconds);
}

/** Kills what computes, but not the server, which then takes no jobs until an operator restarts it. */
export async function killEngineWorker(parts: Parts, name: string): Promise<SeenTask> {
  const { cog } = parts;
  const followed = await followLong(parts, name, "engine's worker killed");
  await killAll(cog.workerPids());
  await eventually('an unhealthy engine', async () => (await statusOf(cog)) === 'UNHEALTHY');
  return restartEngine(parts, followed, 3);
}

/** Kills our own worker, and starts it again at once, or only when the engine has ended the job. */
export async function killWorker(parts: Parts, name: string, isLate: boolean): Promise<SeenTask> {
  const { installation, cog } = parts;
  const followed = await followLong(parts, name, 'worker killed');
  await installation.stop('worker', 'SIGKILL');
  if (isLate) await eventually('an engine without a job', async () => (await statusOf(cog)) === 'READY');
  await installation.start('worker');
  return told(parts, await followed.end(Date.now(), patienceSeconds));
}

async function followLong(parts: Parts, name: string, blow: Blow): Promise<FollowedTask> {
  const followed = await followTask(parts, { name, blow, recipe: { model: 'wan-long', seed: 11 } });
  // An estimate would not say that the engine is at work.
  const isMidRun = (task: Task) => task.progress > blowAtProgress && task.progress_source === 'engine';
  await followed.until(isMidRun, patienceSeconds);
  return followed;
}

async function restartEngine(parts: Parts, followed: FollowedTask, downSeconds: number): Promise<SeenTask> {
  await pause(downSeconds * 1000);
  await parts.cog.restart();
  return told(parts, await followed.end(Date.now(), patienceSeconds));
}

async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) signalProcess(pid, 'SIGKILL');
  const gone = await Promise.all(pids.map((pid) => waitUntilGone(pid, 10_000)));
  if (pids.length === 0 || gone.includes(false)) throw new Error('the engine could not be killed');
}

/** Asked directly, not through the proxy: this is the proof's own look. */
async function statusOf({ url }: RealEngine): Promise<unknown> {
  const response = await fetch(`${url}/health-check`, { signal: interrupted });
  return ((await response.json()) as { status?: unknown }).status;
}

function told({ report }: Parts, seen: SeenTask): SeenTask {
  const { name, status, code, attempts, secondsToEnd, progressAtBlow } = seen;
  const outcomes = attempts.map(({ outcome }) => outcome).join(', ');
  const blow = progressAtBlow === null ? '' : `, hit at ${progressAtBlow} %`;
  report(`${name}: ${code ?? status} after ${secondsToEnd.toFixed(1)} s (${outcomes})${blow}`);
  return seen;
}
