import { bearer } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { useTemporal } from '@kinora/stack/parts/stack-temporal';
import { alternate } from '../alternate.ts';
import type { BenchSize } from '../bench-outcome.ts';
import { httpContestant } from '../http-contestant.ts';
import { round } from '../judge-baseline.ts';
import { backendsOf } from '../process-groups.ts';
import { tableOf } from '../show-measured.ts';
import { type FootprintWorld, startRoles } from './footprint-world.ts';

const sizes: Record<BenchSize, { rounds: number; requests: number }> = {
  quick: { rounds: 6, requests: 300 },
  normal: { rounds: 15, requests: 800 },
  full: { rounds: 25, requests: 1_500 },
};

/** Many projects, so that the creates do not wait for each other at the row of one project. */
const projects = 32;
/** More than the bench creates: every task of a project with room is admitted at once. */
const muchRoom = 1_000_000;

/** No worker runs what is admitted, so its workflows stay open: here, where no worker of a later bench finds them. */
const namespace = 'admission';

/** Measures what admitting a task costs Postgres: creates in projects with room compared with creates without. */
export async function measureAdmission(world: FootprintWorld): Promise<Record<string, number>> {
  const { stack, installation, size, report } = world;
  const { rounds, requests } = sizes[size];
  const isUsable = () =>
    useTemporal(stack.info.temporalAddress, namespace).then(
      () => true,
      () => false, // Each service of Temporal learns of a new namespace with a delay.
    );
  await eventually(`the namespace ${namespace} is usable`, isUsable);
  await using cleanup = new AsyncDisposableStack();
  const { database, owner } = await startRoles(world, ['api'], { KINORA_TEMPORAL_NAMESPACE: namespace }, cleanup);
  const body = JSON.stringify({ prompt: 'A paper boat drifts down a rain-soaked street', resolution: '480p' });
  const groups = [backendsOf('kinora', () => stack.pid('postgres'))];
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
    return httpContestant({ name, groups, url: installation.url, requestOf }, requests);
  };
  const contestants = [await contestant('create with room', muchRoom), await contestant('create without room', 0)];
  const measured = await alternate(contestants, rounds, report);
  for (const line of tableOf(measured)) report(line);
  const [withRoom = Number.NaN, without = Number.NaN] = measured.map(({ cpuMicroseconds }) => cpuMicroseconds);
  return { 'admission: Postgres CPU ms': round((withRoom - without) / 1000) };
}
