import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { oldPartitions } from '../../db/connection/old-partitions.ts';
import { ensurePartitions, partitionDaysAhead } from '../../db/connection/partitions.ts';
import { useWorldPerTest } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { dropOldDays } from './drop-old-days.ts';

const daySeconds = 24 * 60 * 60;
const recordTables = ['attempts', 'events', 'tasks', 'webhook_deliveries', 'webhook_tries'];

const world = useWorldPerTest();

const dayNow = () => world.clock.now().toISOString().slice(0, 10).replaceAll('-', '_');

async function tablesOfDay(day: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relname like ${`%\\_${day}`} order by 1`.execute(
    world.db.kysely,
  );
  return rows.map(({ name }) => name.slice(0, -day.length - 1));
}

const drop = (isDryRun = false, retention = { recordDays: 30, usageDays: 400 }) =>
  dropOldDays({ partitions: oldPartitions(world.db.kysely), clock: world.clock, retention }, { isDryRun });

/** Creates a task of today that has ended and whose files are deleted. */
async function endedTask(): Promise<string> {
  const { id } = await world.accept(await world.newProject());
  await cancelTask(world, id);
  await world.db.taskFiles.markDeleted([id]);
  return id;
}

describe('retention of records', () => {
  it('a day of records is dropped after 30 days, its usage after 400 days, and no other day', async () => {
    const today = dayNow();
    const id = await endedTask();
    await world.moveClock(30 * daySeconds);
    expect((await drop()).dropped.filter((name) => name.endsWith(today))).toEqual([]);
    await world.moveClock(daySeconds);
    expect((await drop(true)).dropped).toContain(`tasks_${today}`);
    expect(await tablesOfDay(today)).toHaveLength(6);

    const { dropped, kept } = await drop();
    expect(kept).toEqual([]);
    expect(dropped.filter((name) => name.endsWith(today)).sort()).toEqual(recordTables.map((t) => `${t}_${today}`));
    expect(await tablesOfDay(today)).toEqual(['usage']);
    expect(await world.db.tasks.find(id)).toBeNull(); // which callers see as 404
    expect(await drop()).toEqual({ dropped: [], kept: [] });

    // Partitions of new days are still created, and the dropped ones stay dropped.
    await ensurePartitions(world.db.kysely, world.clock.now());
    expect(await partitionDaysAhead(world.db.kysely, world.clock.now())).toBe(14);
    expect(await tablesOfDay(today)).toEqual(['usage']);
    await world.accept(await world.newProject());

    await world.moveClock(369 * daySeconds);
    expect((await drop()).dropped).not.toContain(`usage_${today}`);
    await world.moveClock(daySeconds);
    expect((await drop()).dropped).toContain(`usage_${today}`);
    expect(await tablesOfDay(today)).toEqual([]);
  });

  it.each([
    { what: 'a waiting task', running: 0, begin: false },
    { what: 'an admitted task', running: 1, begin: false },
    { what: 'a running task', running: 1, begin: true },
  ])('a day with $what is kept, together with its attempts and events, until the task has ended', async (state) => {
    const today = dayNow();
    await endedTask();
    const open = await world.accept(await world.newProject({ runningLimit: state.running }));
    if (state.begin) await world.begin(open);
    await world.moveClock(31 * daySeconds);
    const { kept } = await drop();
    expect(kept.sort()).toEqual(['attempts', 'events', 'tasks'].map((table) => `${table}_${today}`));
    expect(await world.db.tasks.find(open.id)).not.toBeNull();

    await ensurePartitions(world.db.kysely, world.clock.now()); // the event of its end belongs to the current day
    await cancelTask(world, open.id);
    expect((await drop()).kept).toHaveLength(3); // its files still exist
    await world.db.taskFiles.markDeleted([open.id]);
    expect((await drop()).kept).toEqual([]);
    expect(await tablesOfDay(today)).toEqual(['usage']);
  });

  it('a day of usage is kept while one of its tasks is open, so that the task can end', async () => {
    const today = dayNow();
    const open = await world.accept(await world.newProject());
    await world.moveClock(3 * daySeconds);
    const shortUsage = { recordDays: 30, usageDays: 1 };
    expect((await drop(false, shortUsage)).kept).toEqual([`usage_${today}`]);
    await ensurePartitions(world.db.kysely, world.clock.now());
    await cancelTask(world, open.id);
    expect(await world.db.tasks.find(open.id)).toMatchObject({ status: 'cancelled' });
    expect((await drop(false, shortUsage)).dropped).toContain(`usage_${today}`);
  });

  it('a drop never makes readers or writers wait, and the next run finishes one that a long transaction held up', async () => {
    const today = dayNow();
    await endedTask();
    await world.moveClock(31 * daySeconds);
    await ensurePartitions(world.db.kysely, world.clock.now());
    const reader = new pg.Client({ connectionString: world.url });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from tasks');
      const order: string[] = [];
      const dropping = drop().catch((error: unknown) => {
        order.push('the drop gave up');
        return error;
      });
      // While the drop waits for the reader, no other transaction waits for the drop.
      await world.accept(await world.newProject());
      order.push('accepted');
      expect(await dropping).toMatchObject({ code: '55P03' });
      expect(order).toEqual(['accepted', 'the drop gave up']);
      const pending = await sql<{ name: string }>`
        select inhrelid::regclass::text as name from pg_inherits where inhdetachpending`.execute(world.db.kysely);
      expect(pending.rows).toHaveLength(1);
      await reader.query('commit');
    } finally {
      await reader.end();
    }
    const { dropped, kept } = await drop();
    expect(kept).toEqual([]);
    expect(dropped).toContain(`tasks_${today}`);
    expect(await tablesOfDay(today)).toEqual(['usage']);
  });

  it('a partition that was detached but not dropped is dropped, and one that an operator detached is left alone', async () => {
    const today = dayNow();
    const id = await endedTask();
    await world.moveClock(31 * daySeconds);
    const { kysely } = world.db;
    const tasks = sql.table(`tasks_${today}`);
    const events = sql.table(`events_${today}`);
    await sql`comment on table ${tasks} is 'kinora: being dropped'`.execute(kysely);
    await sql`alter table tasks detach partition ${tasks} concurrently`.execute(kysely);
    await sql`alter table events detach partition ${events} concurrently`.execute(kysely);
    expect(await world.db.tasks.find(id)).toBeNull();
    const { dropped } = await drop();
    expect(dropped).toContain(`tasks_${today}`);
    expect(await tablesOfDay(today)).toEqual(['events', 'usage']);
  });

  it('several processes can drop expired partitions at once', async () => {
    await endedTask();
    await world.moveClock(31 * daySeconds);
    const runs = await Promise.all([drop(), drop(), drop()]);
    const dropped = runs.flatMap((run) => run.dropped);
    expect(new Set(dropped).size).toBe(dropped.length);
    expect(dropped).toContain(`tasks_${new Date().toISOString().slice(0, 10).replaceAll('-', '_')}`);
  });
});
