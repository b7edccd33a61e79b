import { type ApiClient, bodyOrThrow, type Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import type { Installation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { pause } from '@kinora/stack/harness/pause';
import { signalProcess, waitUntilGone } from '@kinora/stack/parts/processes';
import type { RealEngine } from '@kinora/stack/parts/real-engine';
import type { Disruption, ObservedCancel, ObservedTask } from './diffusion-evidence.ts';
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

/** A task that has not ended by then hangs. */
const patienceSeconds = 120;
const disruptAtProgress = 10;
/** On a fast or stalled machine a task may complete before its disruption; then the case begins again. */
const tries = 3;

/** Renders a video without a disruption. */
export async function renderVideo(parts: Parts, name: string, recipe: Recipe): Promise<ObservedTask> {
  const followed = await followTask(parts, { name, disruption: 'none', recipe });
  return reported(parts, await followed.end(Date.now(), patienceSeconds));
}

/** Cancels a task mid-run and watches the engine's processor time; then the slot must serve the next task. */
export async function cancelMidRun(
  parts: Parts,
  name: string,
): Promise<{ tasks: ObservedTask[]; cancel: ObservedCancel }> {
  const { api, cog, report } = parts;
  for (let count = 1; ; count += 1) {
    const { followed } = await followOnce(parts, name, 'cancelled');
    const busyShareBefore = await busyShare(cog);
    const since = performance.now();
    const [response, idleAfterSeconds] = await Promise.all([
      api.post(`/v1/videos/${followed.taskId}/cancel`),
      secondsUntilIdle(cog, since, 20),
    ]);
    const cancelled = await followed.end(Date.now(), patienceSeconds);
    if (response.status === 409 && cancelled.status === 'completed' && count < tries) {
      report(`${name}: the task completed before the cancel; another one is cancelled`);
      continue;
    }
    const { status: responseStatus } = bodyOrThrow(response);
    report(`${name}: the engine was idle ${idleAfterSeconds?.toFixed(2)} s after the cancel`);
    const next = await renderVideo(parts, `the one after ${name}`, { model: 'wan-short', seed: 7 });
    return {
      tasks: [reported(parts, cancelled), next],
      cancel: { name, responseStatus, busyShareBefore, idleAfterSeconds },
    };
  }
}

/** Kills the engine's server and its child processes, and restarts the server after `downSeconds`. */
export async function killEngine(parts: Parts, name: string, downSeconds: number): Promise<ObservedTask> {
  const { cog } = parts;
  const followed = await followLong(parts, name, 'engine killed');
  await killAll([cog.pid, ...cog.workerPids()]);
  return restartEngine(parts, followed, downSeconds);
}

/** Kills the engine's worker process, but not its server, which then accepts no jobs until an operator restarts it. */
export async function killEngineWorker(parts: Parts, name: string): Promise<ObservedTask> {
  const { cog } = parts;
  const followed = await followLong(parts, name, "engine's worker killed");
  await killAll(cog.workerPids());
  await eventually('an unhealthy engine', async () => (await statusOf(cog)) === 'UNHEALTHY');
  return restartEngine(parts, followed, 3);
}

/** Kills Kinora's worker, and restarts it at once, or (if `isLate`) only when the engine has finished the job. */
export async function killWorker(parts: Parts, name: string, isLate: boolean): Promise<ObservedTask> {
  const { installation, cog } = parts;
  const followed = await followLong(parts, name, 'worker killed');
  await installation.stop('worker', 'SIGKILL');
  if (isLate) await eventually('an engine without a job', async () => (await statusOf(cog)) === 'READY');
  await installation.start('worker');
  return reported(parts, await followed.end(Date.now(), patienceSeconds));
}

/** Follows a long task until it is mid-run; one that completes before that was seen is replaced. */
async function followLong(parts: Parts, name: string, disruption: Disruption): Promise<FollowedTask> {
  for (let count = 1; ; count += 1) {
    const { followed, status } = await followOnce(parts, name, disruption);
    if (status !== 'completed' || count === tries) return followed;
    parts.report(`${name}: the task completed before it was seen mid-run; another one is followed`);
  }
}

/** Follows one long task until it is mid-run or final. */
async function followOnce(
  parts: Parts,
  name: string,
  disruption: Disruption,
): Promise<{ followed: FollowedTask; status: Task['status'] }> {
  const followed = await followTask(parts, { name, disruption, recipe: { model: 'wan-long', seed: 11 } });
  // An estimate would not show that the engine is at work.
  const isMidRun = (task: Task) => task.progress > disruptAtProgress && task.progress_source === 'engine';
  const { status } = await followed.until(isMidRun, patienceSeconds);
  return { followed, status };
}

async function restartEngine(parts: Parts, followed: FollowedTask, downSeconds: number): Promise<ObservedTask> {
  await pause(downSeconds * 1000);
  await parts.cog.restart();
  return reported(parts, await followed.end(Date.now(), patienceSeconds));
}

async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) signalProcess(pid, 'SIGKILL');
  const hasExited = await Promise.all(pids.map((pid) => waitUntilGone(pid, 10_000)));
  if (pids.length === 0 || hasExited.includes(false)) throw new Error('the engine could not be killed');
}

/** Queries the engine directly, because the proxy is only for Kinora's requests. */
async function statusOf({ url }: RealEngine): Promise<unknown> {
  const response = await fetch(`${url}/health-check`, { signal: interrupted });
  return ((await response.json()) as { status?: unknown }).status;
}

function reported({ report }: Parts, observed: ObservedTask): ObservedTask {
  const { name, status, code, attempts, secondsToEnd, progressAtDisruption } = observed;
  const outcomes = attempts.map(({ outcome }) => outcome).join(', ');
  const disruption = progressAtDisruption === null ? '' : `, disrupted at ${progressAtDisruption} %`;
  report(`${name}: ${code ?? status} after ${secondsToEnd.toFixed(1)} s (${outcomes})${disruption}`);
  return observed;
}
