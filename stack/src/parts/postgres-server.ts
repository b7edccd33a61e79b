import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { asUnprivileged, initialisePostgres, queryPostgres } from './stack-postgres.ts';
import { StackError, toolPath } from './stack-state.ts';

const run = promisify(execFile);
/** How long pg_ctl waits for the server; by default 60 s. */
const PATIENCE = ['--timeout', String(hangLimitMilliseconds / 1000)];

/** A server besides the stack's own. Its settings are in its data folder, so that a copy of the folder is a server. */
export interface PostgresServer {
  port: number;
  /** The URL of a database on this server, for its superuser. */
  urlOf(database: string): string;
  /** What the programs of Postgres need to find this server: PGDATA and PGPORT. */
  environment: Record<string, string>;
  start(): Promise<void>;
  /** Disconnects all clients and stops; `immediate` ends it as a crash would. Does nothing if it is not running. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

/** Describes the server whose data is, or will be, in this folder. */
export function postgresServer(data: string, port: number): PostgresServer {
  const environment = { PGDATA: data, PGPORT: String(port) };
  return {
    port,
    urlOf: (database) => `postgres://kinora@127.0.0.1:${port}/${database}`,
    environment,
    start: () =>
      runUnprivileged([toolPath('pg_ctl'), 'start', '--silent', ...PATIENCE, '--log', `${data}.log`], environment),
    stop: async (mode = 'fast') => {
      const isStopped = await runUnprivileged([toolPath('pg_ctl'), 'status'], environment).then(
        () => false,
        () => true,
      );
      if (isStopped) return;
      await runUnprivileged([toolPath('pg_ctl'), 'stop', '--silent', ...PATIENCE, '--mode', mode], environment);
    },
  };
}

/** Creates a server with an empty database `kinora`, and starts it. */
export async function createPostgresServer(data: string, port: number): Promise<PostgresServer> {
  await initialisePostgres(data);
  // The port comes from PGPORT, because a replica on the same machine copies this file.
  appendFileSync(
    `${data}/postgresql.conf`,
    "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 300\n",
  );
  const server = postgresServer(data, port);
  await server.start();
  await queryPostgres(port, 'postgres', async (client) => void (await client.query('create database kinora')));
  return server;
}

/** Runs a program as a user that Postgres accepts. If it fails, the error has what the program printed. */
export async function runUnprivileged(
  words: [string, ...string[]],
  environment: Record<string, string>,
): Promise<void> {
  const [command, ...rest] = asUnprivileged(words);
  try {
    await run(command, rest, { env: { ...process.env, ...environment } });
  } catch (error) {
    const printed = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new StackError(`${words.join(' ')} failed: ${printed}`, { cause: error });
  }
}
