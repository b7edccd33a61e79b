import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { ensurePartitions } from './partitions.ts';
import type { Schema } from './schema.ts';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));

/** Connects without time limits on statements: an index of many rows takes longer than any request may take. */
export function connectForMigration(url: string): Kysely<Schema> {
  const pool = new pg.Pool({ connectionString: url, application_name: 'kinora-migrate', max: 2 });
  pool.on('error', () => undefined); // without a listener, a lost idle connection would end the process
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Brings the schema up to date and creates the coming days' partitions. Returns the names of applied migrations. */
export async function migrate(db: Kysely<Schema>, now: Date): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  await ensurePartitions(db, now);
  return (results ?? []).map((result) => result.migrationName);
}

/** Returns the names of the migrations that this program has, in their order. */
export async function readMigrationNames(): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return files.sort().map((name) => name.replace(/\.sql$/, ''));
}

/** Reads the migrations: plain SQL files, forward only, in the order of their names. */
async function readMigrations(): Promise<Record<string, Migration>> {
  const entries = await Promise.all(
    (await readMigrationNames()).map(async (name) => {
      const text = await readFile(join(folder, `${name}.sql`), 'utf8');
      const migration: Migration = {
        up: async (migrationDb) => {
          await sql.raw(text).execute(migrationDb);
        },
      };
      return [name, migration] as const;
    }),
  );
  return Object.fromEntries(entries);
}
