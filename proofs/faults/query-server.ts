import { connectTo } from '@kinora/stack/harness/open-database';
import type { PostgresServer } from '@kinora/stack/parts/postgres-server';

/** Runs one query on a server, by default in Kinora's database, past every proxy. */
export async function queryServer<Row extends object>(
  server: Pick<PostgresServer, 'urlOf'>,
  text: string,
  values: unknown[] = [],
  database = 'kinora',
): Promise<Row[]> {
  await using client = await connectTo(server.urlOf(database));
  return (await client.query<Row>(text, values)).rows;
}
