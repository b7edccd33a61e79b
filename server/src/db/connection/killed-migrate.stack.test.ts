import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CompiledQuery, Kysely, PostgresDialect, type QueryResult, sql } from 'kysely';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { lowestUuidAt } from '../../domain/id.ts';
import { createEmptyDatabase, type TestDatabase } from '../database.fixture.ts';
import { migrate } from './migrate.ts';
import { type Migration, parseMigration, readMigrations } from './migration-files.ts';
import type { Schema } from './schema.ts';
import { readApplied } from './schema-state.ts';

const run = promisify(execFile);

/** The same for all databases of this file, so that their partitions and times are the same. */
const now = new Date('2026-03-05T10:00:00Z');
const clock = { ...systemClock, now: () => now };

/** From then on, all tables that have a partition per day exist. */
const lastOfFirstTables = '0004-webhooks';

/** Until a real one runs outside a transaction. */
const withoutTransaction = parseMigration(
  '9999-test',
  `-- no transaction
create index concurrently if not exists tested_one on projects (weight);
-- next
create index concurrently if not exists tested_two on projects (name);`,
);

/** Returns the statements of a text. Semicolons in comments, strings and bodies of functions end none. */
function statementsOf(text: string): string[] {
  const parts = text.match(/(?:--.*|'[^']*'|\$(\w*)\$[\s\S]*?\$\1\$|[^;])+;?/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part.replaceAll(/--.*/g, '').trim() !== '');
}

/** Connects as a process that dies after so many statements: Postgres ends its sessions at the next one. */
function connectMortal(url: string, statements: number, onDeath: (statement: string) => void): Kysely<Schema> {
  let left = statements;
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool,
      onCreateConnection: async (connection) => {
        const execute = connection.executeQuery.bind(connection);
        connection.executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
          let result: QueryResult<Row> = { rows: [] };
          for (const statement of statementsOf(query.sql)) {
            left -= 1;
            if (left === -1) onDeath(statement);
            const sent = left < 0 ? 'select pg_terminate_backend(pg_backend_pid())' : statement;
            result = await execute<Row>(CompiledQuery.raw(sent, left < 0 ? [] : [...query.parameters]));
          }
          return result;
        };
      },
    }),
  });
}

/**
 * Runs `migrate` until it has applied the last migration. One process dies after so many statements, the next after one
 * more, and so on. Returns the statements that they died at.
 */
async function migrateThroughDeaths(
  { db: { kysely }, url }: TestDatabase,
  { migrations, after }: { migrations: readonly Migration[]; after: number },
): Promise<string[]> {
  const deaths: string[] = [];
  for (let statements = after; ; statements += 1) {
    const db = connectMortal(url, statements, (statement) => deaths.push(statement));
    await expect(migrate(db, { clock, migrations })).rejects.toThrow(/terminat|discarded/);
    await db.destroy();
    if ((await readApplied(kysely)).length === migrations.length) return deaths;
  }
}

/** Adds a waiting task and one that an engine renders, which later migrations count and copy. */
async function addTasks(db: Kysely<Schema>): Promise<void> {
  const [waiting, rendered] = [lowestUuidAt(now), lowestUuidAt(new Date(now.getTime() + 1))];
  await sql`insert into projects (id, name, created_at) values (${waiting}, 'studio', ${now})`.execute(db);
  await sql`insert into project_slots (project_id, livemode, cap, running, waiting) values (${waiting}, true, 2, 1, 1)`.execute(
    db,
  );
  await sql`insert into tasks (id, project_id, livemode, key_id, type, status, stage, model, pool, prompt, resolution,
      aspect_ratio, duration_seconds, seed, warnings, metadata, created_at, admitted_at, checked_at)
    select id, ${waiting}, true, ${waiting}, 'text_to_video', status, 'waiting', 'wan', 'gpu', 'A kite in a storm', '720p',
      '16:9', 5, 1, '[]', '{"shot": "1"}', ${now}, admitted_at, ${now}
    from (values (${waiting}::uuid, 'queued', null), (${rendered}::uuid, 'in_progress', ${now}::timestamptz))
      as task (id, status, admitted_at)`.execute(db);
  await sql`insert into attempts (task_id, attempt, endpoint_id, slot, fencing, engine_job_id, operation, began_at)
    values (${rendered}, 1, 'one', 0, 1, 'job', '{"id": 1}', ${now})`.execute(db);
  await sql`insert into leases (endpoint_id, slot, task_id, attempt, fencing) values ('one', 0, ${rendered}, 1, 1)`.execute(
    db,
  );
  await sql`insert into usage (task_id, project_id, livemode, key_id, model, status, engine_seconds, video_seconds, billable,
      waiting_seconds, created_at, completed_at)
    values (${waiting}, ${waiting}, true, ${waiting}, 'wan', 'completed', 1, 5, true, 1, ${now}, ${now})`.execute(db);
}

/** Returns the lines of a dump, schema and rows, apart from its random key. Rows of a table have no order. */
async function dumpOf(url: string): Promise<string[]> {
  const { stdout } = await run('pg_dump', ['--dbname', url], { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .replaceAll(/^\\(un)?restrict .*$/gm, '')
    .split('\n')
    .sort();
}

async function emptyDatabase() {
  const own = await createEmptyDatabase();
  onTestFinished(() => own.drop());
  return own;
}

it('migrate that is killed at every statement of every migration, and repeated, leaves what one that is never killed does', async () => {
  const migrations = [...(await readMigrations()), withoutTransaction];
  const [killed, other] = [await emptyDatabase(), await emptyDatabase()];
  const deaths: string[] = [];
  for (const [index, { name }] of migrations.entries()) {
    const until = migrations.slice(0, index + 1);
    // Until its first transaction, each run sends the same.
    const after = Math.max(0, deaths.indexOf('begin'));
    deaths.push(...(await migrateThroughDeaths(killed, { migrations: until, after })));
    if (name !== lastOfFirstTables) continue;
    for (const { db } of [killed, other]) {
      await migrate(db.kysely, { clock, migrations: until });
      await addTasks(db.kysely);
    }
  }
  for (const { db } of [killed, other]) {
    await migrate(db.kysely, { clock, migrations });
    await sql`update installation set id = ${lowestUuidAt(now)}`.execute(db.kysely); // it is random
  }
  const statements = migrations.flatMap(({ steps, text }) => (steps ?? [text]).flatMap(statementsOf));
  expect(deaths).toEqual(expect.arrayContaining(statements));
  expect(await dumpOf(killed.url)).toEqual(await dumpOf(other.url));
  expect((await readApplied(killed.db.kysely)).sort()).toEqual(migrations.map(({ name }) => name));
});
