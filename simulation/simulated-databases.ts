import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { createPostgresServer } from '@kinora/stack/parts/postgres-server';
import pg from 'pg';
import { connectForMigration, migrate } from '../server/src/db/migrate.ts';
import { beginning } from './scheduler.ts';
import { virtualClock } from './simulated-postgres.ts';

/** Where worlds find their databases. */
export interface SimulatedDatabases {
  /** Creates an empty database with the schema of today, and returns how to connect. */
  create(): Promise<pg.ClientConfig>;
  /** The processor time that Postgres has used. */
  cpuSeconds(): number;
  close(): Promise<void>;
}

/** What could make one run differ from another. */
const settings = {
  search_path: 'public, pg_catalog',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  synchronous_commit: 'off',
  'kinora.now': `'${new Date(beginning).toISOString()}'`,
};

/** Nothing survives the run, and nothing happens by itself. A Unix socket costs less processor time than TCP. */
const serverSettings = (socketFolder: string): string =>
  ['autovacuum', 'fsync', 'full_page_writes'].map((setting) => `${setting} = off\n`).join('') +
  `unix_socket_directories = '${socketFolder}'\n`;

/** Starts a Postgres of its own: nothing else may use its disk, its clock or its statistics. */
export async function startSimulatedDatabases(): Promise<SimulatedDatabases> {
  const folder = await mkdtemp(join(tmpdir(), 'kinora-simulation-'));
  await chmod(folder, 0o755);
  const data = join(folder, 'postgres');
  const port = await findFreePorts(1);
  const server = await createPostgresServer(data, port);
  await server.stop();
  await appendFile(join(data, 'postgresql.conf'), serverSettings(data));
  await server.start();
  const postmaster = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
  const operator = new pg.Client({ host: data, port, user: 'kinora', database: 'postgres' });
  await operator.connect();
  const createDatabase = async (name: string, template: string): Promise<void> => {
    await operator.query(`create database ${name} template ${template}`);
    for (const [setting, value] of Object.entries(settings))
      await operator.query(`alter database ${name} set ${setting} = ${value}`);
  };
  await createDatabase('schema', 'template1');
  await prepareSchema(server.urlOf('schema'));
  let count = 0;
  return {
    async create() {
      count += 1;
      const name = `world_${count}`;
      await createDatabase(name, 'schema');
      return { host: data, port, user: 'kinora', database: name };
    },
    cpuSeconds: () => cpuSecondsOfTree(postmaster),
    async close() {
      await operator.end();
      await server.stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepareSchema(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(virtualClock);
  await client.end();
  const kysely = connectForMigration(url);
  await migrate(kysely, new Date(beginning));
  await kysely.destroy();
}

/** Linux counts in ticks of 10 ms. */
const ticksPerSecond = 100;

/** What a process, its children, and those of them that have ended have used. */
function cpuSecondsOfTree(root: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const fields = text
          .slice(text.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        return [
          {
            pid: Number(pid),
            parent: fields[1],
            ticks: (fields[11] ?? 0) + (fields[12] ?? 0),
            ended: (fields[13] ?? 0) + (fields[14] ?? 0),
          },
        ];
      } catch {
        return []; // it has ended
      }
    });
  const tree = stats.filter(({ pid, parent }) => pid === root || parent === root);
  return tree.reduce((sum, { ticks, ended }) => sum + ticks + ended, 0) / ticksPerSecond;
}
