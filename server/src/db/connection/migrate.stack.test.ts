import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { createTestDatabase, useTestDatabase } from '../database.fixture.ts';
import { connectForMigration, migrate } from './migrate.ts';
import { parseMigration, readMigrations } from './migration-files.ts';
import type { Schema } from './schema.ts';

const database = useTestDatabase();
let count = 0;

async function ownDatabase() {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  return own;
}

/** Returns those of this program and another one. */
async function withOne(text: string) {
  count += 1;
  const added = parseMigration(`9999-test-${count}`, text);
  return { name: added.name, migrations: [...(await readMigrations()), added] };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const hasIndex = async (url: string, name: string): Promise<unknown[]> =>
  (await (await connect(url)).query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [name])).rows;

/** Returns when each statement began that waits for a lock that such a statement has or waits for. */
async function readsBehind(db: Kysely<Schema>, statement: string): Promise<string[]> {
  const { rows } = await sql<{ begun: string }>`select waiting.query_start::text as begun
    from pg_stat_activity waiting join pg_stat_activity ahead on ahead.pid = any(pg_blocking_pids(waiting.pid))
    where ahead.query like ${statement} and waiting.datname = current_database()`.execute(db);
  return rows.map(({ begun }) => begun);
}

describe('migrate', () => {
  it('gives way to what it would block behind a long reader, says what it waits for, and goes on when that has ended', async () => {
    const own = await ownDatabase();
    const [reader, other] = [await connect(own.url), await connect(own.url)];
    await reader.query('begin');
    await reader.query('select from tasks');
    const { name, migrations } = await withOne('alter table tasks add column tested integer;');
    const reports: string[] = [];
    const report = (line: string): void => void reports.push(line);
    const migrating = migrate(own.db.kysely, { clock: systemClock, migrations, report });
    // A second read that waits behind the migration means that the first was answered, while the long reader still reads.
    const waits = new Set<string>();
    let reading: Promise<unknown> | null = null;
    await expect
      .poll(async () => {
        reading ??= other.query('select from tasks').finally(() => (reading = null));
        for (const begun of await readsBehind(own.db.kysely, 'alter table tasks add column tested%')) waits.add(begun);
        return Math.min(waits.size, reports.length);
      })
      .toBeGreaterThanOrEqual(2);
    await reader.query('commit');
    expect(await migrating).toEqual([name]);
    expect(reports[0]).toMatch(/^9999-test-\d+ waits for a transaction that has been open for \d+ s/);
  });

  it('two at once apply each migration once, also one that builds an index concurrently', async () => {
    const own = await ownDatabase();
    const { name, migrations } = await withOne(
      '-- no transaction\ncreate index concurrently if not exists tested_at on projects (created_at);',
    );
    const other = own.connect(2);
    onTestFinished(() => other.close());
    const both = [own.db, other].map((db) => migrate(db.kysely, { clock: systemClock, migrations }));
    expect((await Promise.all(both)).flat()).toEqual([name]);
    expect(await hasIndex(own.url, 'tested_at')).toEqual([{ indisvalid: true }]);
  });

  it('an index that a killed run left invalid is dropped and built again', async () => {
    const own = await ownDatabase();
    await sql`create index tested_id on projects (id, name)`.execute(own.db.kysely);
    await sql`update pg_index set indisvalid = false where indexrelid = 'tested_id'::regclass`.execute(own.db.kysely);
    const { name, migrations } = await withOne(
      '-- no transaction\ncreate index concurrently if not exists tested_id on projects (id, name);',
    );
    expect(await migrate(own.db.kysely, { clock: systemClock, migrations })).toEqual([name]);
    expect(await hasIndex(own.url, 'tested_id')).toEqual([{ indisvalid: true }]);
  });

  it('fails if Postgres ends its session, and the process goes on', async () => {
    const own = await ownDatabase();
    const mine = connectForMigration(own.url);
    onTestFinished(() => mine.destroy());
    const { migrations } = await withOne('select pg_terminate_backend(pg_backend_pid());');
    await expect(migrate(mine, { clock: systemClock, migrations })).rejects.toThrow(/terminat/);
  });

  it('an older version has nothing to do if the newer schema works with it, and refuses otherwise', async () => {
    const own = await ownDatabase();
    const [newer, breaking] = [await withOne('-- works with: 0.4.0\nselect 1;'), await withOne('select 1;')];
    await migrate(own.db.kysely, { clock: systemClock, migrations: newer.migrations });
    const reports: string[] = [];
    const back = (version: string) =>
      migrate(own.db.kysely, { clock: systemClock, version, report: (line) => reports.push(line) });
    expect(await back('0.4.2')).toEqual([]);
    expect(reports).toEqual([
      `The database is newer (${newer.name}), and version 0.4.2 works with it. There is nothing to do.`,
    ]);
    await expect(back('0.3.9')).rejects.toThrow(`Its migration ${newer.name} works with version 0.4.0 or newer`);
    await migrate(own.db.kysely, {
      clock: systemClock,
      migrations: [...newer.migrations, ...breaking.migrations.slice(-1)],
    });
    await expect(back('0.4.2')).rejects.toThrow(`Its migration ${breaking.name} works with nothing older`);
  });

  it('changes nothing if the schema is up to date', async () => {
    expect(await migrate(database.db.kysely, { clock: systemClock })).toEqual([]);
  });
});
