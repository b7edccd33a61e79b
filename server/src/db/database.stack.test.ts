import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { killPart, startPart, stopPart } from '@kinora/stack/parts/stack-part';
import { postgresPart } from '@kinora/stack/parts/stack-postgres';
import { createState } from '@kinora/stack/parts/stack-state';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { strayId } from '../domain/id.fixture.ts';
import { newProjectId } from '../domain/id.ts';
import { AppError } from '../errors.ts';
import { listenForNotices } from './connection/notice-table.ts';
import { createTestDatabase, useTestDatabase } from './database.fixture.ts';
import { connectDatabase, type Database, isDatabaseUnavailable } from './database.ts';

const database = useTestDatabase(5);

const open = (url: string, poolSize = 5): Database =>
  connectDatabase({
    url,
    poolSize,
    applicationName: 'kinora-test',
    fileRetentionDays: 7,
    onIdleError: () => undefined,
  });

/** Ends every connection to the database, as Postgres does when it shuts down. */
async function endConnections(): Promise<void> {
  const operator = new pg.Client({ connectionString: database.url, application_name: 'operator' });
  await operator.connect();
  await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name <> 'operator' and backend_type = 'client backend'`);
  await operator.end();
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('lists, searches and usage', () => {
  it('those that hang end after 3 s, and take no connection that anything else needs', async () => {
    const db = open(database.url, 2);
    const now = new Date();
    const owner = { projectId: newProjectId(now), livemode: true };
    const range = { start: new Date(now.getTime() - 3_600_000), end: now, longestLifeSeconds: 3_600, limit: 10 };
    const held = await db.transaction(async () => {
      const operator = new pg.Client({ connectionString: database.url });
      await operator.connect();
      await operator.query('begin; lock table tasks, usage, usage_sums in access exclusive mode');
      const hanging = [1, 2, 3].flatMap(() => [
        errorOf(db.taskList.page({ owner, filter: {}, order: 'desc', after: null, limit: 10, now })),
        errorOf(db.usageSums.read({ ...owner, bucket: 'hour', groupBy: null, ...range })),
      ]);
      // One of the two other connections is this transaction's, and more reports hang than both pools have.
      await db.check();
      const errors = await Promise.all(hanging);
      await operator.end();
      return errors;
    });
    for (const error of held) expect(isDatabaseUnavailable(error)).toBe(true);
    await db.close();
  });
});

describe('statements that run often', () => {
  const read = (db: Database) => db.tasks.find(strayId('task', new Date()));

  it('are planned once per session, and lists and searches are not', async () => {
    const db = open(database.url, 1);
    const planned = async (): Promise<string[]> => {
      const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
        db.kysely,
      );
      return rows.map(({ statement }) => statement);
    };
    for (let times = 0; times < 4; times += 1) await read(db);
    expect(await planned()).toEqual([]);
    await read(db);
    expect(await planned()).toEqual([expect.stringContaining('from "tasks"')]);
    await db.close();
  });
});

describe('an unavailable Postgres', () => {
  it('is recognised when it ends connections during a query, during a transaction and while they are idle', async () => {
    const db = open(database.url);
    await db.check(); // one idle connection
    let isInside: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => {
      isInside = resolve;
    });
    const ended = Promise.withResolvers<void>();
    const querying = errorOf(sql`select pg_sleep(30)`.execute(db.kysely));
    const transacting = errorOf(
      db.transaction(async (tables) => {
        await tables.outbox.oldest();
        isInside();
        await ended.promise;
        await tables.outbox.oldest();
      }),
    );
    await inside;
    const isSleeping = sql`select from pg_stat_activity where state = 'active' and query like 'select pg_sleep(30)%'`;
    await expect.poll(async () => (await isSleeping.execute(database.db.kysely)).rows.length).toBe(1);
    await endConnections();
    ended.resolve();
    for (const error of await Promise.all([querying, transacting])) {
      expect(error).toBeInstanceOf(Error);
      expect(isDatabaseUnavailable(error)).toBe(true);
    }
    // The pool works again as soon as it has noticed that its idle connection is gone.
    await expect.poll(() => errorOf(db.check())).toBeNull();
    await db.close();
  });

  it('is recognised when nothing listens at its address and when its host name is unknown', async () => {
    const urls = [
      'postgres://kinora@127.0.0.1:1/kinora',
      'postgres://kinora@localhost:1/kinora',
      'postgres://kinora@nowhere.invalid/kinora',
    ];
    for (const url of urls) {
      const db = open(url);
      const error = await errorOf(db.check());
      expect(isDatabaseUnavailable(error)).toBe(true);
      await db.close();
    }
  });

  it('is recognised when a statement exceeds its time-out', async () => {
    const slow = database.db.kysely.transaction().execute(async (transaction) => {
      await sql`set local statement_timeout = 50`.execute(transaction);
      await sql`select pg_sleep(10)`.execute(transaction);
    });
    expect(isDatabaseUnavailable(await errorOf(slow))).toBe(true);
  });

  it('is recognised when all connections of the pool are taken', async () => {
    const db = open(database.url, 1);
    const error = await db.transaction(async (tables) => {
      await tables.outbox.oldest();
      return errorOf(db.check());
    });
    expect(isDatabaseUnavailable(error)).toBe(true);
    await db.close();
  });

  it('is not reported for a wrong query, a violated constraint or an error of the service', async () => {
    const { db } = database;
    const errors = [
      await errorOf(sql`select nonsense`.execute(db.kysely)),
      await errorOf(sql`insert into project_slots values (gen_random_uuid(), true, 1)`.execute(db.kysely)),
      await errorOf(sql`select 1 / 0`.execute(db.kysely)),
      new AppError('task_not_found'),
      new TypeError('malformed task id'),
      'a string',
    ];
    for (const error of errors) {
      expect(error).not.toBeNull();
      expect(isDatabaseUnavailable(error)).toBe(false);
    }
  });

  it('is recognised in every error from the kill of the server until it is back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'database-test-'));
    const port = await findFreePorts(1);
    createState(folder, port);
    const postgres = postgresPart(folder, port);
    await startPart(folder, postgres);
    const db = open(`postgres://kinora@127.0.0.1:${port}/kinora`, 8);
    try {
      const errors: unknown[] = [];
      let succeeded = 0;
      let isOver = false;
      const load = [
        ...Array.from({ length: 4 }, () => () => sql`select pg_sleep(0.01)`.execute(db.kysely)),
        ...Array.from(
          { length: 4 },
          () => () =>
            db.kysely.transaction().execute(async (transaction) => {
              await sql`create temporary table if not exists t (n integer)`.execute(transaction);
              await sql`insert into t select generate_series(1, 100)`.execute(transaction);
            }),
        ),
      ].map(async (work) => {
        while (!isOver) {
          const error = await errorOf(work());
          if (error === null) succeeded += 1;
          else {
            errors.push(error);
            await pause(5);
          }
        }
      });
      await expect.poll(() => succeeded).toBeGreaterThan(8);
      await killPart(folder, postgres);
      await expect.poll(() => errors.length).toBeGreaterThan(8);
      await startPart(folder, postgres);
      isOver = true;
      await Promise.all(load);
      for (const error of errors) if (!isDatabaseUnavailable(error)) throw error;
      await db.check();
    } finally {
      await db.close();
      await stopPart(folder, postgres);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a primary that was demoted', () => {
  const write = (db: Database) => sql`update projects set name = name`.execute(db.kysely);

  it('loses its connections: the first refused write replaces the connection', async () => {
    const db = open(database.url, 1);
    await sql`set default_transaction_read_only = on`.execute(db.kysely);
    expect(isDatabaseUnavailable(await errorOf(write(db)))).toBe(true);
    await write(db);
    await db.close();
  });

  it('is unavailable to new connections as well, also for reads and for notices, until it is writable again', async () => {
    const other = await createTestDatabase(1);
    const name = new URL(other.url).pathname.slice(1);
    const setReadOnly = (value: string) =>
      sql.raw(`alter database ${name} set default_transaction_read_only = ${value}`).execute(database.db.kysely);
    await setReadOnly('on'); // for new sessions only
    const db = open(other.url, 1);
    const listener = listenForNotices({
      databaseUrl: other.url,
      onNotice: () => undefined,
      onListening: () => events.push('listening'),
    });
    const events: string[] = [];
    expect(isDatabaseUnavailable(await errorOf(db.check()))).toBe(true);
    expect(events).toEqual([]);
    await setReadOnly('off');
    await write(db);
    await expect.poll(() => events).toEqual(['listening']);
    await listener.close();
    await db.close();
    await other.drop();
  });
});
