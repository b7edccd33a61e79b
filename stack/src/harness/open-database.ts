import { Client } from 'pg';
import type { Stack } from '../parts/stack.ts';

/** Opens a connection to the installation's database for a test. */
export async function openDatabase({ info }: Stack): Promise<Client> {
  const client = new Client({ connectionString: info.databaseUrl });
  await client.connect();
  return client;
}

/** Whether a query returns no rows. */
export async function isEmpty(database: Client, query: string, values: unknown[] = []): Promise<boolean> {
  return (await database.query(query, values)).rowCount === 0;
}
