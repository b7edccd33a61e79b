import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import { createTestDatabase, useTestDatabase } from '../database.fixture.ts';
import { migrate } from './migrate.ts';
import { parseMigration, readMigrations } from './migration-files.ts';

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

describe('migrate', () => {
  it('gives way to what it would block behind a long reader, says what it waits for, and goes on when that has ended', async () => {
    const own = await ownDatabase();
    const reader = await connect(own.url);
    await reader.query('begin');
    await reader.query('select from tasks');
    const { name, migrations } = await withOne('alter table tasks add column tested integer;');
    const reports: string[] = [];
    const waits = Promise.withResolvers<void>();
    const report = (line: string): void => {
      reports.push(line);
      waits.resolve();
    };
    const migrating = migrate(own.db.kysely, { clock: systemClock, migrations, report });
    await waits.promise;
    // While it pauses, nothing waits for a lock that it holds or has asked for.
    expect((await own.db.tasks.find(newId('task', new Date()))) ?? null).toBeNull();
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

  it.each([1, 2, 3])('a run that is killed at statement %i is repeated from there', async (killedAt) => {
    const own = await ownDatabase();
    const kill =
      'do $$ begin if not exists (select from killed) then perform pg_terminate_backend(pg_backend_pid()); end if; end $$;';
    await sql`create table killed (id integer)`.execute(own.db.kysely);
    const steps = [
      'create index concurrently if not exists tested_one on projects (weight);',
      'create index concurrently if not exists tested_two on projects (name);',
    ];
    const text = steps.toSpliced(killedAt - 1, 0, kill).join('\n-- next\n');
    const { name, migrations } = await withOne(`-- no transaction\n${text}`);
    await expect(migrate(own.db.kysely, { clock: systemClock, migrations })).rejects.toThrow(/terminat|connection/i);
    await sql`insert into killed values (1)`.execute(own.db.kysely);
    expect(await migrate(own.db.kysely, { clock: systemClock, migrations })).toEqual([name]);
    expect(await hasIndex(own.url, 'tested_two')).toEqual([{ indisvalid: true }]);
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
