import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { holdAdvisoryLock } from './advisory-lock.ts';
import { createTestDatabase, type TestDatabase } from './database.fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(2);
});
afterAll(() => database?.drop());

function contend(name: string) {
  const events: string[] = [];
  const lock = holdAdvisoryLock({
    databaseUrl: database.url,
    name,
    onTaken: () => events.push('taken'),
    onLost: () => events.push('lost'),
  });
  onTestFinished(() => lock.close());
  return { ...lock, events };
}

/** Counts the Postgres processes that hold an advisory lock, and terminates them if `end` is true. */
async function holders(options: { end: boolean } = { end: false }): Promise<number> {
  const result = await sql<{
    pid: number;
  }>`select pid, case when ${options.end} then pg_terminate_backend(pid) end from pg_locks
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`.execute(
    database.db.kysely,
  );
  return result.rows.length;
}

const within = { timeout: 10_000, interval: 20 };

describe('an advisory lock', () => {
  it('is held by one process, and another takes it when the holder closes', async () => {
    const first = contend('one');
    await expect.poll(() => first.isHeld(), within).toBe(true);
    const second = contend('one');
    const elsewhere = contend('another');
    await expect.poll(() => elsewhere.isHeld(), within).toBe(true); // by now the second has tried, too
    expect(second.isHeld()).toBe(false);
    await first.close();
    expect(first.events).toEqual(['taken']); // released on purpose, so it does not count as lost
    await expect.poll(() => second.isHeld(), within).toBe(true);
    await Promise.all([second.close(), elsewhere.close()]);
    expect(await holders()).toBe(0);
  });

  it('is lost at once with the connection, and then taken by one of the contenders', async () => {
    const locks = [contend('two'), contend('two')];
    await expect.poll(() => locks.some((lock) => lock.isHeld()), within).toBe(true);
    const former = locks.find((lock) => lock.isHeld());
    await holders({ end: true });
    await expect.poll(() => former?.events, within).toContain('lost');
    await expect.poll(() => locks.filter((lock) => lock.isHeld()).length, within).toBe(1);
    expect(await holders()).toBe(1);
  });

  it('is not left behind if it is closed while it still connects', async () => {
    const lock = contend('three');
    await lock.close();
    await expect
      .poll(async () => {
        const result = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'kinora-lock'`.execute(database.db.kysely);
        return result.rows[0]?.count;
      }, within)
      .toBe(0);
    expect(lock.events).toEqual([]);
  });

  it('waits for an unreachable Postgres', async () => {
    const lock = holdAdvisoryLock({ databaseUrl: 'postgres://kinora@127.0.0.1:1/kinora', name: 'four' });
    expect(lock.isHeld()).toBe(false);
    await lock.close();
  });
});
