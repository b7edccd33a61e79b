import { Client } from 'pg';
import type { Stack } from '../parts/stack.ts';

/** Opens a connection to the installation's database for a test. `await using` or `end` closes it. */
export function openDatabase({ info }: Stack): Promise<Client & AsyncDisposable> {
  return connectTo(info.databaseUrl);
}

/** Opens a connection to any database. `await using` or `end` closes it. */
export async function connectTo(databaseUrl: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Whether a query returns no rows. */
export async function isEmpty(database: Client, query: string, values: unknown[] = []): Promise<boolean> {
  return (await database.query(query, values)).rowCount === 0;
}
