import { openDatabase } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Client } from 'pg';
import type { BenchStack } from '../bench-stack.ts';
import { installWithStub } from '../install-with-stub.ts';
import { startCpuMeter } from '../process-groups.ts';
import { serviceGroups } from '../service-groups.ts';
import { createSoakLoad } from '../soak/soak-load.ts';
import { readDatabaseState } from '../soak/soak-sample.ts';
import { sum } from '../sum.ts';
import type { Cost } from './load-cost.ts';

/** A load that stays the same for a while. */
export interface SteadyLoad {
  endpoints: number;
  /** Of each endpoint. */
  slots: number;
  renderSeconds: number;
  perSecond: number;
  /** How long it is measured. */
  minutes: number;
}

/** What there is to pay for. A video has five reads, two webhooks and an open stream. */
export interface Work {
  installationSeconds: number;
  endpointSeconds: number;
  jobSeconds: number;
  videos: number;
}

/** What was done while it was measured, what that cost, and what went wrong. */
export interface MeasuredLoad {
  work: Work;
  cost: Cost;
  errors: readonly string[];
}

/** Until programs have loaded their code and jobs end as often as they begin. */
const settleSeconds = 40;
/** The log is read this often, before Postgres recycles it. */
const readEverySeconds = 15;

/** Runs a load, and measures all that it costs from when it has settled. */
export async function measureLoad(
  benchStack: BenchStack,
  { endpoints, slots, renderSeconds, perSecond, minutes }: SteadyLoad,
  report: (line: string) => void,
): Promise<MeasuredLoad> {
  const { stack } = benchStack;
  await using cleanup = new AsyncDisposableStack();
  const receiver = await startWebhookReceiver(await findFreePorts(1));
  cleanup.defer(() => receiver.close());
  const callbackUrl = receiver.url('/webhook');
  const { installation } = await installWithStub(benchStack, {
    endpoints,
    slots,
    jobMilliseconds: renderSeconds * 1000,
    cleanup,
    report,
    loopbackPorts: [Number(new URL(callbackUrl).port)],
  });
  const database = cleanup.use(await openDatabase(stack));
  const streaming = new AbortController();
  cleanup.defer(() => streaming.abort());
  const mostInFlight = endpoints * slots;
  const load = await createSoakLoad(installation, {
    callbackUrl,
    lanes: 1,
    signal: streaming.signal,
    mostInFlight,
    hasTestTasks: false,
  });
  const warmUpSeconds = settleSeconds + renderSeconds;
  const sending = load.send(perSecond, warmUpSeconds + minutes * 60 + 5);
  await pause(warmUpSeconds * 1000);
  const before = await readState(database);
  const readCpu = startCpuMeter(serviceGroups(stack, installation));
  const startedAt = performance.now();
  let log = { walBytes: 0, commits: 0 };
  let position = before.position;
  for (let due = readEverySeconds; due <= minutes * 60; due += readEverySeconds) {
    await pause(Math.max(0, startedAt + due * 1000 - performance.now()));
    const read = await readLog(database, position);
    position = read.position;
    log = { walBytes: log.walBytes + read.walBytes, commits: log.commits + read.commits };
    if (due % 60 === 0) report(`${due} s of ${minutes * 60}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = readCpu();
  const after = await readState(database);
  await sending;
  const repeated = await readRepeated(database);
  const cores = (...names: string[]) => sum(names.map((name) => cpu[name] ?? Number.NaN)) / 1000;
  return {
    work: {
      installationSeconds: seconds,
      endpointSeconds: endpoints * seconds,
      jobSeconds: (after.videos - before.videos) * renderSeconds,
      videos: after.videos - before.videos,
    },
    cost: {
      api: cores('api'),
      relay: cores('relay'),
      worker: cores('worker'),
      media: cores('media programs'),
      postgres: cores(...Object.keys(cpu).filter((name) => name.startsWith('postgres'))),
      temporal: cores('temporal'),
      store: cores('store'),
      ...log,
      statements: after.statements - before.statements,
      databaseBytes: after.bytes - before.bytes,
    },
    errors: [
      ...repeated,
      ...load.errors,
      ...(load.missed > 0 ? [`${load.missed} tasks were left out: the machine is too slow`] : []),
    ],
  };
}

async function readState(database: Client) {
  const { rows } = await database.query<{ position: string; statements: number; videos: number }>(
    `select pg_current_wal_insert_lsn()::text as position,
            (select sum(calls) from pg_stat_statements
             where dbid = (select oid from pg_database where datname = current_database()))::float8 as statements,
            (select count(*) from usage)::float8 as videos`,
  );
  const [state] = rows;
  if (!state) throw new Error('Postgres returned no state');
  return { ...state, ...(await readDatabaseState(database)) };
}

/** Reads the log from a position on, without the images of pages, which depend on checkpoints. */
async function readLog(
  database: Client,
  from: string,
): Promise<{ position: string; walBytes: number; commits: number }> {
  // Only what is on disk can be read.
  await database.query("select pg_logical_emit_message(true, 'plan', 'so that the commit flushes the log')");
  const { rows } = await database.query<{ position: string; bytes: number; commits: number }>(
    `select written.position::text, sum(record_size)::float8 as bytes,
            coalesce(sum(count) filter (where "resource_manager/record_type" = 'Transaction/COMMIT'), 0)::float8 as commits
     from (select pg_current_wal_flush_lsn() as position) as written,
       pg_get_wal_stats($1::pg_lsn, written.position, true)
     group by written.position`,
    [from],
  );
  const [read] = rows;
  if (!read) throw new Error('Postgres returned no log');
  return { position: read.position, walBytes: read.bytes, commits: read.commits };
}

/** Says of what attempts failed: what they cost is not the load's. */
async function readRepeated(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ outcome: string; count: number }>(
    `select outcome, count(*)::int as count from attempts
     where outcome is not null and outcome <> 'completed' group by outcome`,
  );
  return rows.map(({ outcome, count }) => `${count} attempts ended as ${outcome}`);
}
