import { bearer, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { alternate } from '../alternate.ts';
import { startBareServer } from '../bare/start-bare-server.ts';
import type { Bench, BenchOptions, BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { httpContestant, latenciesAtRate } from '../http-contestant.ts';
import { backendsOf, program } from '../process-groups.ts';
import { figuresOf, ratiosOf, tableOf } from '../show-measured.ts';

/** Requests per round; a round of the bare server has more, because its requests cost a fifth or less. */
const sizes: Record<BenchSize, { rounds: number; requests: number; bareRequests: number; openLoopSeconds: number }> = {
  quick: { rounds: 8, requests: 500, bareRequests: 2_500, openLoopSeconds: 0 },
  normal: { rounds: 15, requests: 800, bareRequests: 5_000, openLoopSeconds: 20 },
  full: { rounds: 25, requests: 1_500, bareRequests: 10_000, openLoopSeconds: 60 },
};
/** Many projects, so that the creates do not wait for each other at the row of one project. */
const projects = 64;
/** A fraction of what two cores can do, so that the latencies are not those of a queue. */
const openLoopPerSecond = 50;

export const create: Bench = {
  about: 'what a create costs, compared with Fastify and a transaction of one prepared key lookup and one insert',
  run,
};

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const { rounds, requests, bareRequests, openLoopSeconds } = sizes[size];
  // The tasks wait in projects without room, so no worker is needed.
  await using installation = await startInstallation({ stack, seed, roles: ['api'], onProgress: report });
  await using bare = await startBareServer(stack);
  await using database = await openDatabase(stack);
  const owner = createApiClient({ url: installation.url, key: installation.liveKey });
  const keys: string[] = [];
  for (let number = 0; number < projects; number += 1)
    keys.push(await insertProject(owner, database, { name: `project ${number}`, running: 0 }));
  const body = JSON.stringify({ prompt: 'A paper boat drifts down a rain-soaked street', resolution: '480p' });
  const creates = {
    name: 'create',
    groups: [program('api', () => installation.process('api')?.pid), backendsOf('kinora', () => stack.pid('postgres'))],
    url: installation.url,
    requestOf: (number: number) => ({
      method: 'POST' as const,
      path: '/v1/videos/text-to-video',
      headers: bearer(keys[number % keys.length] ?? ''),
      body,
    }),
  };
  const bareCreates = {
    ...bare,
    name: 'bare create',
    requestOf: () => ({ method: 'POST' as const, path: '/tasks', headers: bare.headers, body }),
  };
  const contestants = [httpContestant(creates, requests), httpContestant(bareCreates, bareRequests)];
  const measured = await alternate(contestants, rounds, report);
  for (const line of tableOf(measured)) report(line);
  const latencies = await latenciesAtRate(creates, { perSecond: openLoopPerSecond, seconds: openLoopSeconds });
  return { judged: ratiosOf(measured), shown: { ...figuresOf(measured), ...latencies }, checks: 0, failures: [] };
}
