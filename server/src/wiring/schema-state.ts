import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';

const folder = fileURLToPath(new URL('../db/migrations', import.meta.url));

/** How the schema of the database compares with the migrations of this program. */
export interface SchemaState {
  /** Migrations that were not applied, in their order. */
  missing: readonly string[];
  /** Migrations that were applied and that this program does not have: the database is newer. */
  unknown: readonly string[];
}

/** Compares the migrations that were applied with those that this program has. */
export async function readSchemaState(db: Kysely<Schema>): Promise<SchemaState> {
  const files = await readdir(folder);
  const known = files.filter((name) => name.endsWith('.sql')).map((name) => name.replace(/\.sql$/, ''));
  const applied = await readApplied(db);
  return {
    missing: known.filter((name) => !applied.includes(name)).sort(),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

async function readApplied(db: Kysely<Schema>): Promise<string[]> {
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
