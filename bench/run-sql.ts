import type { Stack } from '@kinora/stack/parts/stack';
import { Client } from 'pg';

/** Returns the URL of a database in the Postgres of the stack. */
export function databaseUrlOf({ info }: Stack, database: string): string {
  const url = new URL(info.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs statements in a database of the stack, each by itself: `create database` runs in no transaction. */
export async function runSql(stack: Stack, database: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrlOf(stack, database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
