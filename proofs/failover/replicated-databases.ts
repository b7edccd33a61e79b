import { join } from 'node:path';
import { pause } from '@kinora/stack/harness/pause';
import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { createPostgresServer, type PostgresServer, postgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import type { FaultEvidence } from '../faults/fault-evidence.ts';
import { runPageCommands } from '../faults/page-commands.ts';
import { queryServer } from '../faults/query-server.ts';

/** Kinora's database runs on a primary with a streaming replica. Both are reached through proxies. */
export interface Databases {
  primary: PostgresServer;
  replica: PostgresServer;
  /** Between Kinora and the server at `frontTarget`. A changed port applies to new connections. */
  front: TcpProxy;
  frontTarget: { port: number };
  /** Between the primary and the replica. */
  replication: TcpProxy;
  /** Kinora's database, whichever server has it now. */
  url: string;
  /** Returns the server that has it now. */
  current(): PostgresServer;
  close(): Promise<void>;
}

export interface Lost {
  span: FaultEvidence['rolledBack'][number];
  /** The size of the log that the new primary lacks. */
  bytes: number;
}

/** A replica is read-only until it has been promoted, and clients may reach it before that. */
const beforePromotionMilliseconds = 3_000;

/** Starts both servers. `prepare` changes the primary before the replica is made. */
export async function startDatabases(
  { info }: Stack,
  prepare: (primary: PostgresServer) => Promise<void> = async () => undefined,
): Promise<Databases> {
  const firstPort = await findFreePorts(2);
  const primary = await createPostgresServer(join(info.folder, 'postgres-primary'), firstPort);
  await prepare(primary);
  const replica = postgresServer(join(info.folder, 'postgres-replica'), firstPort + 1);
  const frontTarget = { port: primary.port };
  const front = await startTcpProxy(frontTarget);
  const replication = await startTcpProxy({ port: primary.port });
  const primaryUrl = `postgres://kinora@127.0.0.1:${replication.port}/postgres`;
  await runPageCommands('replica', { PRIMARY_URL: primaryUrl, ...replica.environment });
  return {
    primary,
    replica,
    front,
    frontTarget,
    replication,
    url: `postgres://kinora@127.0.0.1:${front.port}/kinora`,
    current: () => (frontTarget.port === replica.port ? replica : primary),
    close: async () => {
      await Promise.all([front.close(), replication.close(), replica.stop('immediate'), primary.stop('immediate')]);
    },
  };
}

/** Replaces the primary by the replica, which lacks the commits of `whileLost`. */
export async function failOver(
  { primary, replica, front, frontTarget, replication }: Databases,
  whileLost: () => Promise<void>,
): Promise<Lost> {
  await replication.set('refuse');
  await whileLost();
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
}
