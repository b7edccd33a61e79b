import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Bench, BenchOptions, BenchOutcome } from '../bench-outcome.ts';
import { installWithStub } from '../install-with-stub.ts';
import { round } from '../judge-baseline.ts';
import { startCpuMeter } from '../process-groups.ts';
import { serviceGroups } from '../service-groups.ts';
import { sum } from '../sum.ts';
import { judgeSeries, objectionsTo } from './judge-soak.ts';
import { plotSoak } from './plot-soak.ts';
import { createSoakLoad } from './soak-load.ts';
import { compareDatabase, readDatabaseState, type SoakSample, sampleProcesses } from './soak-sample.ts';

const defaultMinutes = 60;
/** A warm-up, and then enough tasks to know what the machine carries. */
const [warmUpTasks, measuredTasks] = [40, 120];
/** Tasks that run at once, and how long the engine takes for each. */
const slots = 16;
const jobMilliseconds = 500;
const sampleEveryMilliseconds = 15_000;
const plotPath = join(import.meta.dirname, '../../docs/operations/soak.svg');

export const soak: Bench = {
  about:
    'half of the load that the machine carries, for an hour (--minutes N): are memory, tables and descriptors flat?',
  run,
};

async function run({ minutes, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const totalSeconds = 60 * (minutes ?? defaultMinutes);
  await using cleanup = new AsyncDisposableStack();
  const receiver = await startWebhookReceiver(await findFreePorts(1));
  cleanup.defer(() => receiver.close());
  const callbackUrl = receiver.url('/webhook');
  const { installation } = await installWithStub(
    { stack, seed },
    { slots, jobMilliseconds, cleanup, report, hasAnimatic: true, loopbackPorts: [Number(new URL(callbackUrl).port)] },
  );
  const database = cleanup.use(await openDatabase(stack));
  const streaming = new AbortController();
  cleanup.defer(() => streaming.abort());
  const load = await createSoakLoad(installation, {
    callbackUrl,
    lanes: 2 * slots,
    mostInFlight: 3 * slots,
    hasTestTasks: true,
    signal: streaming.signal,
  });

  await load.measureCapacity(warmUpTasks);
  const capacity = await load.measureCapacity(measuredTasks);
  const perSecond = capacity / 2;
  report(`the machine carries ${round(capacity)} tasks per second; sending ${round(perSecond)} for ${totalSeconds} s`);
  load.takeWindow();

  const groups = serviceGroups(stack, installation);
  const before = await readDatabaseState(database);
  const walBefore = await readWalBytes();
  const sentBefore = load.sent;
  const readCpu = startCpuMeter(groups);
  const startedAt = performance.now();
  const samples: SoakSample[] = [];
  const takeSamples = async (): Promise<void> => {
    const every = sampleEveryMilliseconds;
    for (let due = every; due <= totalSeconds * 1000; due += every) {
      await pause(Math.max(0, startedAt + due - performance.now()));
      samples.push({
        seconds: (performance.now() - startedAt) / 1000,
        ...load.takeWindow(),
        ...(await sampleProcesses(installation)),
        ...compareDatabase(before, await readDatabaseState(database)),
      });
      if (samples.length % 4 === 0) report(lineOf(samples.at(-1)));
    }
  };
  await Promise.all([load.send(perSecond, totalSeconds), takeSamples()]);
  const seconds = (performance.now() - startedAt) / 1000;
  const tasks = load.sent - sentBefore;
  const cpu = readCpu();
  const wal = (await readWalBytes()) - walBefore;
  for (const line of tableOf(samples)) report(line);
  const title = `${Math.round(seconds / 60)} min at ${round(perSecond)} tasks per second`;
  writeFileSync(plotPath, plotSoak(samples, title));
  report(`plotted in ${relative(process.cwd(), plotPath)}`);
  const { sent, missed, completed, errors } = load;
  const failures = objectionsTo({ samples, sent, missed, completed, errors });
  return {
    judged: {},
    shown: {
      minutes: round(seconds / 60),
      tasks,
      'tasks left out': missed,
      'capacity: tasks per second': round(capacity),
      'tasks per second': round(tasks / seconds),
      'CPU ms per task': round(sum(Object.values(cpu)) / tasks),
      ...Object.fromEntries(
        Object.entries(cpu).map(([name, milliseconds]) => [`CPU ms per task of ${name}`, round(milliseconds / tasks)]),
      ),
      'WAL kB per task': round(wal / 1e3 / tasks),
      'most connections': Math.max(...samples.map(({ connections }) => connections)),
      ...Object.fromEntries(judgeSeries(samples).map(({ name, mean }) => [name, round(mean)])),
      'create: p50 ms': round(medianOf(samples, ({ createMilliseconds }) => createMilliseconds)),
      'read: p50 ms': round(medianOf(samples, ({ readMilliseconds }) => readMilliseconds)),
      'create to completed: p50 ms': round(medianOf(samples, ({ taskMilliseconds }) => taskMilliseconds)),
    },
    checks: judgeSeries(samples).length,
    failures,
  };

  /** Returns the bytes that Postgres has ever written to its log, for Kinora and for Temporal. */
  async function readWalBytes(): Promise<number> {
    const { rows } = await database.query<{ bytes: number }>(
      `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`,
    );
    return rows[0]?.bytes ?? Number.NaN;
  }
}

function medianOf(samples: readonly SoakSample[], read: (sample: SoakSample) => number): number {
  return percentile(samples.map(read), 50);
}

function lineOf(sample: SoakSample | undefined): string {
  if (!sample) return '';
  const { seconds, megabytes, descriptors, connections, taskMilliseconds } = sample;
  const ofRoles = (figures: Record<string, number>) => Object.values(figures).map(Math.round).join(' ');
  return (
    `${Math.round(seconds)} s: MB ${ofRoles(megabytes)}, descriptors ${ofRoles(descriptors)}, ` +
    `${connections} connections, ${Math.round(taskMilliseconds)} ms per task`
  );
}

/** Returns a row per figure: its mean in the second half, its growth there and the growth that is allowed. */
function tableOf(samples: readonly SoakSample[]): string[] {
  return [
    `${'second half'.padEnd(24)}${['mean', 'growth', 'allowed'].map((name) => name.padStart(10)).join('')}`,
    ...judgeSeries(samples).map(
      ({ name, mean, growth, allowed }) =>
        `${name.padEnd(24)}${[mean, growth, allowed].map((figure) => String(round(figure)).padStart(10)).join('')}`,
    ),
  ];
}
