import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { startDatabaseProxy, useTestDatabase } from '../database.fixture.ts';
import { openLockSession } from './lock-session.ts';

const database = useTestDatabase(2);

/** Starts a process that tries to hold a lock; those of different groups do not share their locks out. */
function contend(name: string, url = database.url, group = randomUUID()) {
  const events: string[] = [];
  const session = openLockSession({ clock: systemClock, databaseUrl: url, group });
  const lock = session.hold(name, { onTaken: () => events.push('taken'), onLost: () => events.push('lost') });
  onTestFinished(() => session.close());
  return { ...lock, events, hold: session.hold, closeSession: session.close };
}

/** Counts the Postgres processes that hold an advisory lock, and terminates them if `end` is true. */
async function holders(options: { end: boolean } = { end: false }): Promise<number> {
  const result = await sql<{
    pid: number;
  }>`select pid, case when ${options.end} then pg_terminate_backend(pid) end from pg_locks
    where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and database = (select oid from pg_database where datname = current_database())`.execute(
    database.db.kysely,
  );
  return result.rows.length;
}

/** Counts the connections of all lock sessions. */
async function sessions(): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'kinora-lock'`.execute(database.db.kysely);
  return rows[0]?.count;
}

describe('an advisory lock', () => {
  it('is held by one process, and another takes it when the holder closes', async () => {
    const first = contend('one');
    await expect.poll(() => first.isHeld()).toBe(true);
    const second = contend('one');
    const elsewhere = contend('another');
    await expect.poll(() => elsewhere.isHeld()).toBe(true); // by now the second has tried, too
    expect(second.isHeld()).toBe(false);
    const eventsBeforeClose = [...first.events];
    expect(eventsBeforeClose).toContain('taken');
    await first.close();
    expect(first.events).toEqual(eventsBeforeClose); // released on purpose, so it does not count as lost
    await expect.poll(() => second.isHeld()).toBe(true);
    await Promise.all([second.close(), elsewhere.close()]);
    expect(await holders()).toBe(0);
  });

  it('is lost at once with the connection, and then taken by one of the contenders', async () => {
    const locks = [contend('two'), contend('two')];
    await expect.poll(() => locks.some((lock) => lock.isHeld())).toBe(true);
    const former = locks.find((lock) => lock.isHeld());
    await holders({ end: true });
    await expect.poll(() => former?.events).toContain('lost');
    await expect.poll(() => locks.filter((lock) => lock.isHeld()).length).toBe(1);
    expect(await holders()).toBe(1);
  });

  it('is not left behind if it is closed while it still connects', async () => {
    const lock = contend('three');
    await lock.closeSession();
    await expect.poll(sessions).toBe(0);
    expect(lock.events).toEqual([]);
  });

  it('waits for an unreachable Postgres', async () => {
    const session = openLockSession({
      clock: systemClock,
      databaseUrl: 'postgres://kinora@127.0.0.1:1/kinora',
      group: 'four',
    });
    const lock = session.hold('four');
    expect(lock.isHeld()).toBe(false);
    await lock.close();
    await session.close();
  });

  it('is held beside others by one connection, and each is released by itself', async () => {
    const first = contend('five');
    const also = first.hold('six');
    await expect.poll(() => first.isHeld() && also.isHeld()).toBe(true);
    const second = contend('six');
    await also.close();
    await expect.poll(() => second.isHeld()).toBe(true);
    expect(first.isHeld()).toBe(true);
    expect(await sessions()).toBe(2);
  });

  it('waits within its process, too, until the lock that asked for the same name before is closed', async () => {
    const first = contend('seven');
    await expect.poll(() => first.isHeld()).toBe(true);
    const successor = first.hold('seven');
    const elsewhere = first.hold('eight');
    await expect.poll(() => elsewhere.isHeld()).toBe(true);
    expect(successor.isHeld()).toBe(false);
    await first.close();
    await expect.poll(() => successor.isHeld()).toBe(true);
  });

  it('passes to another process if its holder is frozen or its host vanishes', async () => {
    const { proxy, url } = await startDatabaseProxy(database.url);
    const silent = contend('ten', url);
    await expect.poll(() => silent.isHeld()).toBe(true);
    const standby = contend('ten');
    await proxy.set('black-hole');
    await expect.poll(() => standby.isHeld()).toBe(true);
    expect(silent.isHeld()).toBe(false); // it noticed before
    await proxy.set('pass');
    expect(standby.isHeld()).toBe(true);
  });
});

describe('a transaction of a process that is frozen', () => {
  it('lets go of its rows', async () => {
    const { proxy, url } = await startDatabaseProxy(database.url);
    const frozen = database.connect(1, url);
    let isFrozen = false;
    await sql`create table if not exists contended as select 1 as n`.execute(database.db.kysely);
    const transaction = frozen.kysely.transaction().execute(async (connection) => {
      await sql`update contended set n = n + 1`.execute(connection);
      await proxy.set('black-hole');
      isFrozen = true;
      await sql`update contended set n = n + 10`.execute(connection);
    });
    transaction.catch(() => undefined);
    await expect.poll(() => isFrozen).toBe(true);
    await database.db.kysely.transaction().execute(async (connection) => {
      await sql`set local statement_timeout = 0`.execute(connection);
      await sql`update contended set n = n + 100`.execute(connection);
    });
    await proxy.set('pass');
    await expect(transaction).rejects.toThrow(Error);
  });
});
