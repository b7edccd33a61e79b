import { readdirSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { createPostgresServer } from '@kinora/stack/parts/postgres-server';
import { readProcessStat } from '@kinora/stack/parts/process-stat';
import { sql } from 'kysely';
import pg from 'pg';
import { connectForMigration, migrate } from '../server/src/db/connection/migrate.ts';
import { systemClock } from '../server/src/domain/clock.ts';
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
  plan_cache_mode: 'force_generic_plan',
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
  const kysely = connectForMigration(url);
  await sql.raw(virtualClock).execute(kysely);
  await migrate(kysely, { clock: { ...systemClock, now: () => new Date(beginning) } });
  // Virtual time lasts hours, and every partition costs each statement.
  const tomorrow = new Date(beginning + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '_');
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits join pg_class parent on parent.oid = inhparent
    where parent.relkind = 'p' and right(inhrelid::regclass::text, 10) > ${tomorrow}`.execute(kysely);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(kysely);
  await kysely.destroy();
}

/** What a process, its children, and those of them that have ended have used. */
function cpuSecondsOfTree(root: number): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const stats = pids.map((pid) => ({ pid, stat: readProcessStat(pid) }));
  const tree = stats.flatMap(({ pid, stat }) => (stat && (pid === root || stat.parent === root) ? [stat] : []));
  return tree.reduce((sum, one) => sum + one.ownCpuMilliseconds + one.exitedChildrenCpuMilliseconds, 0) / 1_000;
}
