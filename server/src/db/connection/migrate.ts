import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { type Migration, readMigrations } from './migration-files.ts';
import { ensurePartitions, isLockTimeout } from './partitions.ts';
import type { Schema } from './schema.ts';
import { readApplied } from './schema-state.ts';

/** The lock of Kysely's own migrator, which earlier versions of this program used. */
const lockId = sql.lit('3853314791062309107');
/** 2 s: so long at most do others wait behind a migration that waits for a lock. Then it gives way and tries again. */
const lockTimeout = sql`set lock_timeout = '2s'`;
/** Between two tries others get their turn, and a long reader comes to its end. */
const retryMilliseconds = [500, 1_000, 2_000, 5_000, 10_000] as const;
const askMilliseconds = 500;

/** Connects without time limits on statements: an index of many rows takes longer than any request may take. */
export function connectForMigration(url: string): Kysely<Schema> {
  const pool = new pg.Pool({ connectionString: url, application_name: 'kinora-migrate', max: 2 });
  // Without listeners, a lost connection would end the process. The next query says that it is lost.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

interface Options {
  clock: Clock;
  /** Told what it waits for. */
  report?: (line: string) => void;
  /** Those of this program, and its version, unless a test gives others. */
  migrations?: readonly Migration[];
  version?: string;
}

/**
 * Applies the migrations that are missing, each by itself, and creates the partitions of the coming days. It gives way to
 * queries instead of making others wait behind it, for as long as it takes. Returns the names of the migrations applied.
 */
export async function migrate(db: Kysely<Schema>, options: Options): Promise<string[]> {
  const { clock, report = () => undefined } = options;
  const migrations = options.migrations ?? (await readMigrations());
  const applied = await db.connection().execute(async (session) => {
    await takeLock(session, options);
    try {
      await lockTimeout.execute(session);
      await sql`create table if not exists kysely_migration (
        name varchar(255) primary key, timestamp varchar(255) not null)`.execute(session);
      const giveWay = givingWay(session, { clock, report });
      await giveWay('kysely_migration', () => addWorksWith(session));
      await refuseNewer(session, migrations, options);
      const known = new Set(await readApplied(session));
      const missing = migrations.filter(({ name }) => !known.has(name));
      for (const migration of missing) await apply(session, migration, clock, giveWay);
      return missing.map(({ name }) => name);
    } finally {
      // A session that has ended holds nothing.
      await sql`reset lock_timeout`.execute(session).catch(() => undefined);
      await sql`select pg_advisory_unlock(${lockId})`.execute(session).catch(() => undefined);
    }
  });
  await ensurePartitions(db, clock.now());
  return applied;
}

type GiveWay = (name: string, work: () => Promise<unknown>) => Promise<void>;

/** Returns a function that repeats work which waits for a lock, and says what it waits for. */
function givingWay(session: Kysely<Schema>, { clock, report }: Required<Pick<Options, 'clock' | 'report'>>): GiveWay {
  return async (name, work) => {
    for (let tries = 0; ; tries += 1) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        report(`${name} waits for ${await describeHolders(session)}; it gives way and tries again.`);
        await clock.wait(retryMilliseconds[Math.min(tries, retryMilliseconds.length - 1)] ?? 0);
      }
    }
  };
}

/** The column is missing in a database that only earlier versions have migrated. */
async function addWorksWith(session: Kysely<Schema>): Promise<void> {
  const { rows } = await sql`select from information_schema.columns
    where table_schema = current_schema() and table_name = 'kysely_migration' and column_name = 'works_with'`.execute(
    session,
  );
  if (rows.length === 0) await sql`alter table kysely_migration add column works_with varchar(255)`.execute(session);
}

/** Throws if a newer version has changed the schema so that this one does not work on it. */
async function refuseNewer(
  session: Kysely<Schema>,
  migrations: readonly Migration[],
  { version = packageJson.version, report = () => undefined }: Options,
): Promise<void> {
  const { rows } = await sql<{ name: string; works_with: string | null }>`
    select name, works_with from kysely_migration where name <> all(${migrations.map(({ name }) => name)}::text[])
    order by name`.execute(session);
  const last = rows.at(-1);
  if (!last) return;
  const breaking = rows.find(({ works_with: oldest }) => oldest === null || isOlder(version, oldest));
  if (breaking) {
    const oldest = breaking.works_with === null ? 'nothing older' : `version ${breaking.works_with} or newer`;
    throw new AppError('invalid_parameter', {
      message:
        `A newer version has migrated this database. Its migration ${breaking.name} works with ${oldest}, and this is ` +
        `version ${version}. Run the newer version again, or restore a backup from before it.`,
    });
  }
  report(`The database is newer (${last.name}), and version ${version} works with it. There is nothing to do.`);
}

/** Compares versions such as 0.10.2. */
function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

/** Asks for the lock again and again: a statement that waited for it would keep an index from being built concurrently. */
async function takeLock(session: Kysely<Schema>, { clock, report = () => undefined }: Options): Promise<void> {
  for (let asked = 0; ; asked += 1) {
    const { rows } = await sql<{ has: boolean }>`select pg_try_advisory_lock(${lockId}) as has`.execute(session);
    if (rows[0]?.has) return;
    if (asked === 0) report('Another migrate is running: waiting until it ends.');
    await clock.wait(askMilliseconds);
  }
}

async function apply(session: Kysely<Schema>, migration: Migration, clock: Clock, giveWay: GiveWay): Promise<void> {
  const { name, steps, text, worksWith } = migration;
  const note = (on: Kysely<Schema>) =>
    sql`insert into kysely_migration (name, timestamp, works_with)
      values (${name}, ${clock.now().toISOString()}, ${worksWith})`.execute(on);
  if (steps !== null) {
    for (const step of steps) await giveWay(name, () => runStep(session, step));
    await note(session);
    return;
  }
  await giveWay(name, () =>
    session.transaction().execute(async (transaction) => {
      await sql.raw(text).execute(transaction);
      await note(transaction);
    }),
  );
}

/** Runs a statement outside a transaction. May be repeated, also after a run that was killed in it. */
async function runStep(session: Kysely<Schema>, step: string): Promise<void> {
  const index = /create (?:unique )?index concurrently if not exists (\w+)/i.exec(step)?.[1];
  if (index === undefined) {
    await sql.raw(step).execute(session);
    return;
  }
  const { rows } = await sql`select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`.execute(
    session,
  );
  // A run that was killed leaves an index that no query uses and every write pays for.
  if (rows.length > 0) await sql.raw(`drop index concurrently ${index}`).execute(session);
  // It waits for transactions that have begun before it, and nobody waits for it.
  await sql`set lock_timeout = 0`.execute(session);
  await sql.raw(step).execute(session);
  await lockTimeout.execute(session);
}

/** Names the oldest transaction of others, which is what a migration most likely waits for. */
async function describeHolders(session: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ pid: number; name: string; seconds: number }>`
    select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`.execute(session);
  const [holder] = rows;
  if (!holder) return 'a lock';
  return `a transaction that has been open for ${holder.seconds} s (${holder.name || 'no name'}, pid ${holder.pid})`;
}
