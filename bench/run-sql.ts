import { connectTo } from '@kinora/stack/harness/open-database';
import type { Stack } from '@kinora/stack/parts/stack';

/** Returns the URL of a database in the Postgres of the stack. */
export function databaseUrlOf({ info }: Stack, database: string): string {
  const url = new URL(info.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs statements in a database of the stack, each by itself: `create database` runs in no transaction. */
export async function runSql(stack: Stack, database: string, ...statements: string[]): Promise<void> {
  await using client = await connectTo(databaseUrlOf(stack, database));
  for (const statement of statements) await client.query(statement);
}
