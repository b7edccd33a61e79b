import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { sql } from 'kysely';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { systemClock } from '../domain/clock.ts';
import { migrate } from './connection/migrate.ts';
import { connectDatabase, type Database } from './database.ts';

export interface TestDatabase {
  db: Database;
  url: string;
  /** Another pool of connections to the same database, closed with it; through another address, such as a proxy's. */
  connect(poolSize: number, through?: string): Database;
  drop(): Promise<void>;
}

/** The search path names their schema before that of Postgres's own `now`. */
const ownClock = `
  create table public.own_clock (at timestamptz not null);
  insert into public.own_clock values (pg_catalog.now());
  create function public.now() returns timestamptz language sql stable as $$ select at from public.own_clock $$;
  create function public.statement_timestamp() returns timestamptz language sql stable as $$ select public.now() $$;`;

/** Creates a migrated database of the test. With a clock of its own, its `now()` stands still until a test sets it. */
export async function createTestDatabase(poolSize = 20, { hasOwnClock = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = urlOf(name);
  await asOperator(async (operator) => {
    await operator.query(`create database ${name} template ${await ensureTemplate(operator)}`);
    if (hasOwnClock) await operator.query(`alter database ${name} set search_path = public, pg_catalog`);
  });
  if (hasOwnClock) await asOperator((operator) => operator.query(ownClock), url);
  const opened: Database[] = [];
  const connect = (size: number, through = url): Database => {
    const database = open(through, size);
    opened.push(database);
    return database;
  };
  return {
    db: connect(poolSize),
    url,
    connect,
    drop: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await asOperator((operator) => operator.query(`drop database ${name} with (force)`));
    },
  };
}

/** Creates a database before the tests of a file and drops it after them. */
export function useTestDatabase(poolSize?: number): TestDatabase {
  return forAllTests(
    () => createTestDatabase(poolSize),
    (database) => database.drop(),
  );
}

/** Sets what `now()` returns in a database that has a clock of its own. */
export async function setOwnClock({ kysely }: Database, now: Date): Promise<void> {
  await sql`update own_clock set at = ${now}`.execute(kysely);
}

/** Creates an empty database, as a new installation finds it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asOperator((operator) => operator.query(`create database ${name}`));
  const url = urlOf(name);
  const db = open(url, 10);
  return {
    db,
    url,
    connect: (size) => open(url, size),
    drop: async () => {
      await db.close();
      await asOperator((operator) => operator.query(`drop database ${name} with (force)`));
    },
  };
}

/** Starts a proxy in front of Postgres for one test. `url` leads to the same database through it. */
export async function startDatabaseProxy(databaseUrl: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(databaseUrl);
  const proxy = await startTcpProxy({ port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

/** Migrating takes 1 s and copying a migrated database takes 0.1 s, so one template is made per day and schema. */
async function ensureTemplate(operator: pg.Client): Promise<string> {
  const template = `template_${hashOfMigrations()}_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
  await operator.query(`select pg_advisory_lock(hashtext('kinora-test-template'))`);
  const { rowCount } = await operator.query('select 1 from pg_database where datname = $1', [template]);
  if (rowCount === 0) {
    const unfinished = `${template}_unfinished`;
    await operator.query(`drop database if exists ${unfinished} with (force)`);
    await operator.query(`create database ${unfinished}`);
    const db = open(urlOf(unfinished), 2);
    try {
      await migrate(db.kysely, { clock: systemClock });
    } finally {
      await db.close();
    }
    await operator.query(`alter database ${unfinished} rename to ${template}`);
  }
  return template;
}

async function asOperator(work: (operator: pg.Client) => Promise<unknown>, url = stackUrl()): Promise<void> {
  const operator = new pg.Client({ connectionString: url });
  await operator.connect();
  // The advisory lock of the template ends with the connection.
  try {
    await work(operator);
  } finally {
    await operator.end();
  }
}

function open(url: string, poolSize: number): Database {
  return connectDatabase({
    url,
    poolSize,
    applicationName: 'kinora-test',
    fileRetentionDays: 7,
    onIdleError: () => undefined,
  });
}

function urlOf(name: string): string {
  const url = new URL(stackUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function stackUrl(): string {
  const url = inject('stackEnvironment')['KINORA_DATABASE_URL'];
  if (url === undefined) throw new Error('the stack does not set KINORA_DATABASE_URL');
  return url;
}

function hashOfMigrations(): string {
  const folder = join(import.meta.dirname, 'migrations');
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  hash.update(readFileSync(join(import.meta.dirname, 'connection/partitions.ts')));
  return hash.digest('hex').slice(0, 8);
}
