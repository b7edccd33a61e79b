import type { PostgresServer } from '@kinora/stack/parts/postgres-server';
import { Client } from 'pg';

/** Runs one query on a server, by default in Kinora's database, past every proxy. */
export async function queryServer<Row extends object>(
  server: PostgresServer,
  text: string,
  values: unknown[] = [],
  database = 'kinora',
): Promise<Row[]> {
  const client = new Client({ connectionString: server.urlOf(database) });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
