import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));

/** A migration: SQL that only ever goes forward. */
export interface Migration {
  name: string;
  /** The oldest version whose programs work on the schema that it leaves; null if nothing older than it does. */
  worksWith: string | null;
  /** Statements that run one by one, each by itself; null for a text that runs as one transaction. */
  steps: readonly string[] | null;
  text: string;
}

let names: Promise<string[]> | undefined;

/** Returns the names of the migrations that this program has, in their order. Readiness asks every second. */
export function readMigrationNames(): Promise<string[]> {
  return (names ??= listFiles());
}

async function listFiles(): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return files.sort().map((name) => name.replace(/\.sql$/, ''));
}

export async function readMigrations(): Promise<Migration[]> {
  return Promise.all(
    (await readMigrationNames()).map(async (name) =>
      parseMigration(name, await readFile(join(folder, `${name}.sql`), 'utf8')),
    ),
  );
}

/**
 * Reads the comments that say how a migration runs: `-- works with: 0.1.0` names the oldest version that it suits, and
 * `-- no transaction` lets each statement, up to the next `-- next`, run by itself, as an index built concurrently must.
 */
export function parseMigration(name: string, text: string): Migration {
  const worksWith = /^-- works with: (\d+\.\d+\.\d+)$/m.exec(text)?.[1] ?? null;
  const steps = /^-- no transaction$/m.test(text) ? text.split(/^-- next$/m).map((step) => step.trim()) : null;
  return { name, worksWith, steps, text };
}
