import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { processesWorkingIn, signalProcess } from './processes.ts';
import type { Part } from './stack-part.ts';
import { StackError, toolPath } from './stack-state.ts';

const run = promisify(execFile);

/** Returns the part for Postgres on loopback, with the database and the superuser `kinora`. */
export function postgresPart(folder: string, port: number): Part {
  const data = join(folder, 'postgres');
  return {
    name: 'postgres',
    ports: [port],
    stopSignal: 'SIGINT', // its "fast" shutdown: SIGTERM would wait for every client to disconnect
    async prepare() {
      if (!existsSync(data)) await initialisePostgres(data);
      await clearAfterCrash(data);
    },
    program() {
      const settings = {
        port: String(port),
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        max_connections: '300',
      };
      const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const [command, ...words] = asUnprivileged([toolPath('postgres'), '-D', data, ...flags]);
      return { command, arguments: words };
    },
    async checkUsable() {
      await queryPostgres(port, 'postgres', async (client) => {
        const { rowCount } = await client.query("select 1 from pg_database where datname = 'kinora'");
        if (rowCount === 0) await client.query('create database kinora');
      });
    },
    clean: () => clearAfterCrash(data),
  };
}

/** Runs `work` with a connection to one database of the stack's Postgres. */
export async function queryPostgres(
  port: number,
  database: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const server = { host: '127.0.0.1', port, user: 'kinora' };
  const client = new Client({ ...server, database, connectionTimeoutMillis: hangLimitMilliseconds });
  // If the server dies, the connection also emits an error here; the pending query already reports it.
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Creates an empty cluster with the superuser `kinora`, who needs no password. */
export async function initialisePostgres(data: string): Promise<void> {
  // The folder gets its final name last, so that an interrupted run leaves nothing that looks like a database.
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  // No password, which is fine for development only: the server listens only on 127.0.0.1. --no-sync matters only if
  // the power fails during this very second; fsync stays on for everything that is committed later.
  const [command, ...words] = asUnprivileged([
    toolPath('initdb'),
    '--no-sync',
    '--auth=trust',
    '--username=kinora',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    `--pgdata=${unfinished}`,
  ]);
  try {
    await run(command, words);
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    if (words.startsWith('unshare:')) {
      throw new StackError(
        'Postgres refuses to run as root and this machine has no user namespaces; run scripts/stack as a normal user',
        { cause: error },
      );
    }
    throw new StackError(`initdb failed: ${words}`, { cause: error });
  }
  renameSync(unfinished, data);
}

/** Postgres refuses to run as root, so a user namespace maps root to user 1000. Outside, the files belong to root. */
export function asUnprivileged(words: [string, ...string[]]): [string, ...string[]] {
  if (process.getuid?.() !== 0) return words;
  return ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--', ...words];
}

/**
 * Cleans up after a kill -9 of the main process, so that Postgres can start again. Its children can live on for a
 * while, and its lock file contains a process id that may be a zombie or belong to another program by now; Postgres
 * would then refuse to start. All processes of Postgres work in the data folder, so the lock is stale once no process
 * works there.
 */
async function clearAfterCrash(data: string): Promise<void> {
  const deadline = Date.now() + hangLimitMilliseconds;
  for (let left = processesWorkingIn(data); left.length > 0; left = processesWorkingIn(data)) {
    if (Date.now() > deadline)
      throw new StackError(`processes ${left.join(', ')} of the old Postgres are still alive after SIGKILL`);
    for (const pid of left) signalProcess(pid, 'SIGKILL');
    await sleep(20);
  }
  rmSync(join(data, 'postmaster.pid'), { force: true });
}
