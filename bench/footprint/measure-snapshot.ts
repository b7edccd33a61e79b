import { createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { pause } from '@kinora/stack/harness/pause';
import type { BenchSize } from '../bench-outcome.ts';
import { prepareSeeding, seedProjects, seedWaiting, settleTables } from '../growth/seed-tables.ts';
import { round } from '../judge-baseline.ts';
import { backendsOf, program, startCpuMeter } from '../process-groups.ts';
import { sum } from '../sum.ts';
import { type FootprintWorld, startRoles } from './footprint-world.ts';

const secondsOf: Record<BenchSize, number> = { quick: 16, normal: 60, full: 120 };
/** Projects with a waiting task each. */
const projects = 10_000;
/** How long the service uses a snapshot before it makes the next one. */
const snapshotSeconds = 2;
const readsPerSecond = 2;
/** Until V8 has compiled what a read needs, reads cost more than the snapshot. */
const warmUpReads = 1_000;
/** 5 s: long enough for the first snapshot and its plan. */
const settleMilliseconds = 5_000;

/** Measures what places in the queue cost all processes every 2 s if tasks of 10⁴ projects wait. */
export async function measureSnapshot(world: FootprintWorld): Promise<Record<string, number>> {
  const { stack, installation, size, report } = world;
  await using cleanup = new AsyncDisposableStack();
  // A round of the reconciler would count too.
  const environment = { KINORA_RECONCILE_SECONDS: '3600', KINORA_WAITING_LIMIT: '1000000000' };
  const { database, owner } = await startRoles(world, ['api', 'relay'], environment, cleanup);
  const seconds = secondsOf[size];
  const key = await insertProject(owner, database, { name: 'waiting', running: 0 });
  const client = createApiClient({ url: installation.url, key });
  const { task_id: taskId } = await client.create({ prompt: 'A hill at dusk', resolution: '480p' });
  const groups = [
    program('api', () => installation.process('api')?.pid),
    program('relay', () => installation.process('relay')?.pid),
    backendsOf('kinora', () => stack.pid('postgres')),
  ];
  /** Reads the queued task now and then, as a caller that polls, and returns CPU milliseconds per snapshot. */
  const measure = async (name: string): Promise<Record<string, number>> => {
    for (let count = 0; count < warmUpReads; count += 1) await client.read(taskId);
    await readFor(settleMilliseconds);
    const readCpu = startCpuMeter(groups);
    await readFor(1000 * seconds);
    const cpu = readCpu();
    const cost = Object.fromEntries(
      Object.entries(cpu).map(([group, milliseconds]) => [group, (milliseconds * snapshotSeconds) / seconds]),
    );
    report(`${name}, CPU ms per 2 s: ${JSON.stringify(cost)}`);
    return cost;
  };
  const readFor = async (milliseconds: number): Promise<void> => {
    for (const end = performance.now() + milliseconds; performance.now() < end; ) {
      await client.read(taskId);
      await pause(1000 / readsPerSecond);
    }
  };
  const before = await measure('one project waits');
  await prepareSeeding(database);
  await seedProjects(database, projects);
  const { rows } = await database.query<{ id: string }>('select id from tasks'); // the only task
  const templates = { waitingTask: rows[0]?.id ?? '', endedTask: '' };
  const whole = { from: 0, to: 1 };
  await seedWaiting(database, templates, { count: projects, isShared: true, label: 'snapshot', slice: whole });
  await settleTables(database);
  const after = await measure(`${projects} projects wait`);
  const more = Object.fromEntries(Object.entries(after).map(([group, now]) => [group, now - (before[group] ?? 0)]));
  return {
    'snapshot: CPU ms': round(sum(Object.values(more))),
    ...Object.fromEntries(Object.entries(more).map(([group, ms]) => [`snapshot: CPU ms of ${group}`, round(ms)])),
  };
}
