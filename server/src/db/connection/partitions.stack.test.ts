import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { idFromUuid, uuidFromId } from '../../domain/id.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import { createEmptyDatabase, type TestDatabase } from '../database.fixture.ts';
import { migrate } from './migrate.ts';
import { ensurePartitions, partitionDaysAhead } from './partitions.ts';

const tables = ['tasks', 'attempts', 'events', 'usage', 'webhook_deliveries', 'webhook_tries'];
const daySeconds = 24 * 60 * 60;
const now = new Date('2026-11-15T23:59:30Z');
const after = (days: number) => new Date(now.getTime() + days * daySeconds * 1000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database?.drop());

async function partitions(): Promise<string[]> {
  const result = await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
    join pg_class parent on parent.oid = inhparent where parent.relkind = 'p' order by 1`.execute(database.db.kysely);
  return result.rows.map((row) => row.name);
}

async function insertTask(at: Date, id = strayId('task', at)): Promise<{ id: string }> {
  const { db } = database;
  const { id: projectId } = await db.transaction((tables) => tables.projects.insert('a project', at));
  const task = { ...plainRequest, id, projectId, livemode: true, keyId: strayId('key', at), createdAt: at };
  await db.acceptances.accept(task, 0);
  return task;
}

describe('partitions', () => {
  it('partitions exist 14 days ahead after a migration, and a second migration changes nothing', async () => {
    expect(await partitionDaysAhead(database.db.kysely, now)).toBe(-1);
    const migrations = await migrate(database.db.kysely, { clock: clockAt(() => now) });
    expect(migrations[0]).toBe('0001-foundation');
    expect(await partitionDaysAhead(database.db.kysely, now)).toBe(14);
    const made = await partitions();
    expect(made).toHaveLength(tables.length * 16); // yesterday, today, and 14 days
    expect(made).toContain('tasks_2026_11_14');
    expect(made).toContain('usage_2026_11_29');
    expect(await migrate(database.db.kysely, { clock: clockAt(() => now) })).toEqual([]);
    expect(await partitions()).toEqual(made);
  });

  it('five processes can create partitions at once', async () => {
    const processes = Array.from({ length: 5 }, () => database.connect(1));
    try {
      await Promise.all(processes.map((db) => ensurePartitions(db.kysely, after(3))));
    } finally {
      await Promise.all(processes.map((db) => db.close()));
    }
    expect(await partitions()).toHaveLength(tables.length * 19);
    expect(await partitionDaysAhead(database.db.kysely, after(3))).toBe(14);
  });

  it('a partition holds the tasks of its whole day, and a task without a partition is refused', async () => {
    const lastMoment = new Date('2026-11-15T23:59:59.999Z');
    const firstMoment = new Date('2026-11-16T00:00:00.000Z');
    const lowest = idFromUuid(
      'task',
      `${firstMoment
        .getTime()
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`,
    );
    await insertTask(lastMoment);
    await insertTask(firstMoment, lowest);
    await insertTask(after(1));
    const counted = await sql<{ day: string; tasks: number }>`
      select right(tableoid::regclass::text, 10) as day, count(*)::int as tasks from tasks group by 1 order by 1`.execute(
      database.db.kysely,
    );
    expect(counted.rows).toEqual([
      { day: '2026_11_15', tasks: 1 },
      { day: '2026_11_16', tasks: 2 },
    ]);
    await expect(insertTask(after(60))).rejects.toMatchObject({ code: '23514' }); // there is no partition for it
  });

  it('partitions can be created while tasks are written', async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await insertTask(now);
    })();
    await ensurePartitions(database.db.kysely, after(5));
    isOver = true;
    await writing;
    expect(await partitionDaysAhead(database.db.kysely, after(5))).toBe(14);
  });

  it('a day counts as ahead only if every table has a partition for it', async () => {
    const { kysely } = database.db;
    expect(await partitionDaysAhead(kysely, after(5))).toBe(14);
    expect(await partitionDaysAhead(kysely, after(17))).toBe(2);
    expect(await partitionDaysAhead(kysely, after(19))).toBe(0);
    expect(await partitionDaysAhead(kysely, after(20))).toBe(-1);
    await sql`drop table events_2026_11_30`.execute(kysely);
    expect(await partitionDaysAhead(kysely, after(5))).toBe(9);
    await ensurePartitions(kysely, after(5)); // fills the gap
    expect(await partitionDaysAhead(kysely, after(5))).toBe(14);
  });

  it('a partition has the indexes of its table, and a task is found without reading other days', async () => {
    const indexes = await sql<{
      name: string;
    }>`select indexname as name from pg_indexes where tablename = 'tasks_2026_11_16'`.execute(database.db.kysely);
    const parents = await sql<{
      name: string;
    }>`select indexname as name from pg_indexes where tablename = 'tasks'`.execute(database.db.kysely);
    expect(indexes.rows).toHaveLength(parents.rows.length);
    const uuid = uuidFromId('task', strayId('task', now));
    const plan = await sql<Record<string, string>>`explain select * from tasks where id = ${uuid}`.execute(
      database.db.kysely,
    );
    // One partition is read, not nineteen.
    expect(JSON.stringify(plan.rows).match(/tasks_2026/g)?.length ?? 0).toBeLessThanOrEqual(2);
  });

  it('the index for lists is built for the days that exist, and the days that are added later have it too', async () => {
    const db = database.db.kysely;
    const partsOf = async (name: string) =>
      (await sql`select 1 from pg_inherits where inhparent = ${name}::regclass`.execute(db)).rows.length;
    const path = join(import.meta.dirname, '../migrations/0013-list-terms.sql');
    await sql`drop index tasks_by_terms`.execute(db);
    await sql`drop function list_terms`.execute(db);
    await sql`create index tasks_by_words on tasks using gin (to_tsvector('simple', prompt))`.execute(db);
    await insertTask(now);
    const migration = sql.raw(await readFile(path, 'utf8'));
    await db.transaction().execute((transaction) => migration.execute(transaction));
    expect(await partsOf('tasks_by_terms')).toBe(await partsOf('tasks'));
    const days = await partsOf('tasks');
    await ensurePartitions(db, after(60));
    expect(await partsOf('tasks')).toBeGreaterThan(days);
    expect(await partsOf('tasks_by_terms')).toBe(await partsOf('tasks'));
    const invalid = await sql`select 1 from pg_index where not indisvalid`.execute(db);
    expect(invalid.rows).toEqual([]);
  });
});
