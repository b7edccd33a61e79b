import { bearer, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { alternate, type Measured } from '../alternate.ts';
import type { Bench, BenchOptions, BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { httpContestant } from '../http-contestant.ts';
import { round } from '../judge-baseline.ts';
import { backendsOf } from '../process-groups.ts';
import { tableOf } from '../show-measured.ts';

const sizes: Record<BenchSize, { rounds: number; requests: number }> = {
  quick: { rounds: 6, requests: 300 },
  normal: { rounds: 15, requests: 800 },
  full: { rounds: 25, requests: 1_500 },
};

/** Many projects, so that the creates do not wait for each other at the row of one project. */
const projects = 32;
/** More than the bench creates: every task of a project with room is admitted at once. */
const muchRoom = 1_000_000;

export const admission: Bench = {
  about: 'what admitting a task costs Postgres: creates in projects with room compared with creates without',
  run,
};

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const { rounds, requests } = sizes[size];
  await using cleanup = new AsyncDisposableStack();
  // No worker runs what is admitted, so its workflows stay open and no bench with a worker may follow.
  const installation = await startInstallation({ stack, seed, roles: ['api'], onProgress: report });
  cleanup.defer(() => installation.close());
  const database = await openDatabase(stack);
  cleanup.defer(() => database.end());
  const owner = createApiClient({ url: installation.url, key: installation.liveKey });
  const body = JSON.stringify({ prompt: 'A paper boat drifts down a rain-soaked street', resolution: '480p' });
  const contestant = async (name: string, running: number) => {
    const keys: string[] = [];
    for (let number = 0; number < projects; number += 1)
      keys.push(await insertProject(owner, database, { name: `${name} ${number}`, running }));
    const requestOf = (number: number) => ({
      method: 'POST' as const,
      path: '/v1/videos/text-to-video',
      headers: bearer(keys[number % keys.length] ?? ''),
      body,
    });
    const groups = [backendsOf('kinora', () => stack.pid('postgres'))];
    return httpContestant({ name, groups, url: installation.url, requestOf }, requests);
  };
  const measured = await alternate(
    [await contestant('create with room', muchRoom), await contestant('create without room', 0)],
    rounds,
    report,
  );
  for (const line of tableOf(measured)) report(line);
  return { judged: {}, shown: { 'Postgres CPU ms': round(differenceOf(measured) / 1000) }, checks: 0, failures: [] };
}

/** Returns what a create with room costs more than one without. */
function differenceOf([withRoom, without]: readonly Measured[]): number {
  return (withRoom?.cpuMicroseconds ?? Number.NaN) - (without?.cpuMicroseconds ?? Number.NaN);
}
