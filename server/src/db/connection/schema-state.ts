import type { Kysely } from 'kysely';
import { readMigrationNames } from './migration-files.ts';
import type { Schema } from './schema.ts';

/** How the schema of the database compares with the migrations of this program. */
export interface SchemaState {
  /** Migrations that were not applied, in their order. */
  missing: readonly string[];
  /** Migrations that were applied and that this program does not have: the database is newer. */
  unknown: readonly string[];
}

/** Compares the migrations that were applied with those that this program has. */
export async function readSchemaState(db: Kysely<Schema>): Promise<SchemaState> {
  const known = await readMigrationNames();
  const applied = await readApplied(db);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

/** Returns the names of the migrations that were applied. */
export async function readApplied(db: Kysely<Schema>): Promise<string[]> {
  try {
    const rows = await db
      .withTables<{ kysely_migration: { name: string } }>()
      .selectFrom('kysely_migration')
      .select('name')
      .execute();
    return rows.map(({ name }) => name);
  } catch (error) {
    // 42P01: there is no such table, because nothing was ever migrated.
    if (error instanceof Error && 'code' in error && error.code === '42P01') return [];
    throw error;
  }
}
