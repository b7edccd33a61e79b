import { randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Schema } from '../../db/connection/schema.ts';

// What Postgres says about itself. The service needs none of it, so it is not in db/.

export interface ConnectionLimits {
  /** Connections that this role may open in this database. */
  limit: number;
  /** Connections of other programs to this server. */
  others: number;
}

export async function readVersion(db: Kysely<Schema>): Promise<{ number: number; text: string }> {
  const { rows } = await sql<{ number: number; text: string }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as text`.execute(db);
  return rows[0] ?? { number: 0, text: 'unknown' };
}

/** Returns how many milliseconds the clock of Postgres is ahead of this machine's. */
export async function readClockOffset(db: Kysely<Schema>): Promise<number> {
  const before = Date.now();
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const after = Date.now();
  return (rows[0]?.at.getTime() ?? 0) - (before + after) / 2;
}

/** Returns the tables whose owner this role is not, and those that it may not write to. */
export async function findTablesWithoutRights(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = (select relnamespace from pg_class where oid = to_regclass('tasks'))
      and relkind in ('r', 'p') and not relispartition
      and not (pg_has_role(relowner, 'usage') and has_table_privilege(oid, 'select')
        and has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update')
        and has_table_privilege(oid, 'delete'))
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

export async function readConnectionLimits(db: Kysely<Schema>): Promise<ConnectionLimits> {
  const { rows } = await sql<ConnectionLimits>`
    select least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
      )::int as limit,
      (select count(*) from pg_stat_activity
        where backend_type = 'client backend' and application_name not like 'kinora-%')::int as others`.execute(db);
  return rows[0] ?? { limit: 0, others: 0 };
}

/** Others may use the pooler at the same time, so one round may find the lock by chance. */
const rounds = 10;
const othersAtOnce = 3;

/**
 * Returns whether a lock stays with the connection that took it. A transaction pooler hands the session of one connection
 * to another between two statements: others begin a transaction, and one of them gets the session with the lock.
 */
export async function keepsSessions(databaseUrl: string): Promise<boolean> {
  const clients = Array.from({ length: 1 + othersAtOnce }, () => {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'kinora-doctor',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    return client.on('error', () => undefined);
  });
  const [holder, ...others] = clients as [pg.Client, ...pg.Client[]];
  // A random number does not meet another doctor, or the lock that one left behind in a pooler.
  const key = [randomInt(2 ** 31)];
  try {
    await Promise.all(clients.map((client) => client.connect()));
    await holder.query(`select pg_advisory_lock(hashtext('kinora-doctor'), $1)`, key);
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(others.map((other) => other.query('begin')));
      const { rows } = await holder.query<{ held: boolean }>(
        `select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objid = $1::oid)
          as held`,
        key,
      );
      await Promise.all(others.map((other) => other.query('rollback')));
      if (!rows[0]?.held) return false;
    }
    return true;
  } finally {
    // Behind a pooler, the lock is in a session that any of them may get.
    await Promise.all(clients.map((client) => client.query('select pg_advisory_unlock_all()').catch(() => undefined)));
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
