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
  const told: string[] = [];
  const lock = holdAdvisoryLock({
    databaseUrl: database.url,
    name,
    onTaken: () => told.push('taken'),
    onLost: () => told.push('lost'),
  });
  onTestFinished(() => lock.close());
  return { ...lock, told };
}

/** Processes of Postgres that hold an advisory lock; ends them if asked. */
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
  it('is held by one; another gets it when the holder closes', async () => {
    const first = contend('one');
    await expect.poll(() => first.isHeld(), within).toBe(true);
    const second = contend('one');
    const elsewhere = contend('another');
    await expect.poll(() => elsewhere.isHeld(), within).toBe(true); // so the second has asked by now, too
    expect(second.isHeld()).toBe(false);
    await first.close();
    expect(first.told).toEqual(['taken']); // given back on purpose, which is no loss
    await expect.poll(() => second.isHeld(), within).toBe(true);
    await Promise.all([second.close(), elsewhere.close()]);
    expect(await holders()).toBe(0);
  });

  it('is lost with the connection, at once, and taken again by one of those who wait', async () => {
    const locks = [contend('two'), contend('two')];
    await expect.poll(() => locks.some((lock) => lock.isHeld()), within).toBe(true);
    const former = locks.find((lock) => lock.isHeld());
    await holders({ end: true });
    await expect.poll(() => former?.told, within).toContain('lost');
    await expect.poll(() => locks.filter((lock) => lock.isHeld()).length, within).toBe(1);
    expect(await holders()).toBe(1);
  });

  it('is not left behind by whoever closes while it still connects', async () => {
    const lock = contend('three');
    await lock.close();
    await expect
      .poll(async () => {
        const result = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'kinora-lock'`.execute(database.db.kysely);
        return result.rows[0]?.count;
      }, within)
      .toBe(0);
    expect(lock.told).toEqual([]);
  });

  it('waits for a Postgres that is away', async () => {
    const lock = holdAdvisoryLock({ databaseUrl: 'postgres://kinora@127.0.0.1:1/kinora', name: 'four' });
    expect(lock.isHeld()).toBe(false);
    await lock.close();
  });
});
