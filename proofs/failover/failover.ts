import { join } from 'node:path';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { pause } from '@kinora/stack/harness/pause';
import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { createPostgresServer, type PostgresServer, postgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import { createCaller } from '../faults/caller.ts';
import { collectEvidence } from '../faults/collect-evidence.ts';
import type { FaultEvidence, Probe } from '../faults/fault-evidence.ts';
import { type FaultWorld, startFaultWorld } from '../faults/fault-world.ts';
import { runPageCommands } from '../faults/page-commands.ts';
import { probeInstallation } from '../faults/probe-installation.ts';
import { queryServer } from '../faults/query-server.ts';
import type { Proof, ProofOutcome } from '../proof.ts';
import { type FailoverFault, type FailoverSize, failoverSizes } from './failover-size.ts';
import { judgeFailover } from './judge-failover.ts';

export const proof: Proof = {
  name: 'failover',
  promise:
    'If Postgres falls silent, turns read-only or fails over to a replica, only commits that the replica lacks are lost.',
  minutes: 2.5,
  run: (stack, { size, report }) => run(stack, failoverSizes[size], report),
};

/** Kinora's database runs on a primary with a streaming replica. Both are reached through proxies. */
interface Databases {
  primary: PostgresServer;
  replica: PostgresServer;
  /** Between Kinora and the server at `frontTarget`. A changed port applies to new connections. */
  front: TcpProxy;
  frontTarget: { port: number };
  /** Between the primary and the replica. */
  replication: TcpProxy;
}

/** The commits of this time are lost with the primary. */
const lostMilliseconds = 1_500;
/** A replica is read-only until it has been promoted, and clients may reach it before that. */
const beforePromotionMilliseconds = 3_000;

async function run(stack: Stack, size: FailoverSize, report: (line: string) => void): Promise<ProofOutcome> {
  const databases = await startDatabases(stack);
  const { primary, replica, front, replication } = databases;
  try {
    const world = await startFaultWorld({
      stack,
      environment: { KINORA_DATABASE_URL: `postgres://kinora@127.0.0.1:${front.port}/kinora` },
      report,
    });
    try {
      return await gather(world, databases, size);
    } finally {
      await world.close();
    }
  } finally {
    await Promise.all([front.close(), replication.close(), replica.stop('immediate'), primary.stop('immediate')]);
  }
}

async function startDatabases({ info }: Stack): Promise<Databases> {
  const firstPort = await findFreePorts(2);
  const primary = await createPostgresServer(join(info.folder, 'postgres-primary'), firstPort);
  const replica = postgresServer(join(info.folder, 'postgres-replica'), firstPort + 1);
  const frontTarget = { port: primary.port };
  const front = await startTcpProxy(frontTarget);
  const replication = await startTcpProxy({ port: primary.port });
  const primaryUrl = `postgres://kinora@127.0.0.1:${replication.port}/postgres`;
  await runPageCommands('replica', { PRIMARY_URL: primaryUrl, ...replica.environment });
  return { primary, replica, front, frontTarget, replication };
}

async function gather(world: FaultWorld, databases: Databases, size: FailoverSize): Promise<ProofOutcome> {
  const caller = createCaller(world);
  let isOver = false;
  const load = caller.keepActive(size.active, () => isOver);
  load.catch(() => undefined); // awaited below
  const probes: Probe[] = [];
  const rolledBack: FaultEvidence['rolledBack'] = [];
  let lostBytes = 0;
  try {
    await pause(3_000); // so that the first fault meets tasks in every stage
    for (const fault of size.faults) {
      world.report(`${fault} begins`);
      const lost = await causes[fault](databases, size.faultSeconds * 1000);
      if (lost) rolledBack.push(lost.span);
      lostBytes += lost?.bytes ?? 0;
      probes.push(await probeInstallation(world, caller, fault));
    }
    // How many tasks there are must not depend on how fast the machine is.
    await becomesTrueWithin(60_000, () => caller.tasks.length >= size.tasks);
  } finally {
    isOver = true;
    await Promise.allSettled([load]);
  }
  await load;
  const database = databases.frontTarget.port === databases.replica.port ? databases.replica : databases.primary;
  const evidence = await collectEvidence(world, caller, database, { probes, rolledBack });
  return judgeFailover({ ...evidence, lostBytes }, size);
}

interface Lost {
  span: FaultEvidence['rolledBack'][number];
  /** The size of the log that the new primary lacks. */
  bytes: number;
}

const causes: Record<FailoverFault, (databases: Databases, milliseconds: number) => Promise<Lost | null>> = {
  'a black hole': async ({ front }, milliseconds) => {
    await front.set('black-hole');
    await pause(milliseconds);
    await front.vanish();
    return null;
  },
  'a read-only primary': async ({ primary }, milliseconds) => {
    await setReadOnly(primary, true);
    await pause(milliseconds);
    await setReadOnly(primary, false);
    return null;
  },
  'a failover': async ({ primary, replica, front, frontTarget, replication }) => {
    await replication.set('refuse');
    await pause(lostMilliseconds);
    await front.set('black-hole');
    const until = Date.now();
    const [last] = await queryServer<{ at: number; lsn: string }>(
      replica,
      `select extract(epoch from pg_last_xact_replay_timestamp())::float8 * 1000 as at,
              pg_last_wal_replay_lsn()::text as lsn`,
    );
    const [ahead] = await queryServer<{ bytes: number }>(
      primary,
      'select pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float8 as bytes',
      [last?.lsn],
    );
    await primary.stop('immediate');
    frontTarget.port = replica.port;
    await front.vanish();
    await pause(beforePromotionMilliseconds);
    await runPageCommands('promote', replica.environment);
    return { span: { from: last?.at ?? until, until }, bytes: ahead?.bytes ?? 0 };
  },
};

async function setReadOnly(server: PostgresServer, isReadOnly: boolean): Promise<void> {
  await queryServer(server, `alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await queryServer(server, 'select pg_reload_conf()');
}
