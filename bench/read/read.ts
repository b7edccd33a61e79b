import { bearer, createApiClient } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { alternate } from '../alternate.ts';
import { startBareServer } from '../bare/start-bare-server.ts';
import type { Bench, BenchOptions, BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { httpContestant, latenciesAtRate } from '../http-contestant.ts';
import { installWithStub } from '../install-with-stub.ts';
import { backendsOf, program } from '../process-groups.ts';
import { figuresOf, ratiosOf, tableOf } from '../show-measured.ts';

/** Requests per round and state; a round of the bare server has more, because its requests cost a fifth or less. */
const sizes: Record<BenchSize, { rounds: number; requests: number; bareRequests: number; openLoopSeconds: number }> = {
  quick: { rounds: 8, requests: 500, bareRequests: 4_000, openLoopSeconds: 0 },
  normal: { rounds: 15, requests: 600, bareRequests: 8_000, openLoopSeconds: 20 },
  full: { rounds: 25, requests: 1_200, bareRequests: 16_000, openLoopSeconds: 60 },
};
const openLoopPerSecond = 100;

export const read: Bench = {
  about: 'what reading a task costs in each state, compared with Fastify and one prepared select',
  run,
};

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const { rounds, requests, bareRequests, openLoopSeconds } = sizes[size];
  await using cleanup = new AsyncDisposableStack();
  const options = { slots: 1, jobMilliseconds: 10, cleanup, report };
  const { engine, installation } = await installWithStub({ stack, seed }, options);
  const bare = cleanup.use(await startBareServer(stack));
  const database = cleanup.use(await openDatabase(stack));
  const running = createApiClient({ url: installation.url, key: installation.liveKey });
  const waitingKey = await insertProject(running, database, { name: 'waiting', running: 0 });
  const waiting = createApiClient({ url: installation.url, key: waitingKey });
  const request = { prompt: 'A hill at dusk', ...smallestVideo };
  const completed = (await running.follow((await running.create(request)).task_id)).end;
  if (completed.status !== 'completed') throw new Error(`the task of the bench is ${completed.status}`);
  engine.jobMilliseconds = 3_600_000;
  const inProgress = await running.create(request);
  await eventually('a task in progress', async () => (await running.read(inProgress.task_id)).status === 'in_progress');
  const queued = await waiting.create(request);
  const groups = [
    program('api', () => installation.process('api')?.pid),
    backendsOf('kinora', () => stack.pid('postgres')),
  ];
  const bareTask = await fetch(`${bare.url}/tasks`, {
    method: 'POST',
    headers: { ...bare.headers, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  }).then(async (response) => (await response.json()) as { id: string });
  const bareReads = {
    ...bare,
    name: 'bare read',
    requestOf: () => ({ method: 'GET' as const, path: `/tasks/${bareTask.id}`, headers: {} }),
  };
  const readsOf = (name: string, taskId: string, key: string) => ({
    name,
    groups,
    url: installation.url,
    requestOf: () => ({ method: 'GET' as const, path: `/v1/videos/${taskId}`, headers: bearer(key) }),
  });
  const readsOfCompleted = readsOf('read completed', completed.task_id, installation.liveKey);
  const states = [
    readsOf('read queued', queued.task_id, waitingKey),
    readsOf('read in_progress', inProgress.task_id, installation.liveKey),
    readsOfCompleted,
  ];
  const contestants = [
    ...states.map((reads) => httpContestant(reads, requests)),
    httpContestant(bareReads, bareRequests),
  ];
  const measured = await alternate(contestants, rounds, report);
  for (const line of tableOf(measured)) report(line);
  const latencies = await latenciesAtRate(readsOfCompleted, { perSecond: openLoopPerSecond, seconds: openLoopSeconds });
  await running.cancel(inProgress.task_id);
  await eventually('no job is left', () => engine.jobs.every(({ endedAt }) => endedAt !== null));
  return { judged: ratiosOf(measured), shown: { ...figuresOf(measured), ...latencies }, checks: 0, failures: [] };
}
