import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

const patienceMilliseconds = 60_000;

/** Reads the database as an outsider. */
export interface Rows {
  /** Repeats the query while Postgres is away, for a minute at most. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export function createRows(databaseUrl: string, signal: AbortSignal): Rows {
  let client: Client | null = null;
  const connected = async (): Promise<Client> => {
    if (client) return client;
    const fresh = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
    // Postgres is killed under us on purpose; the query that suffers reports it.
    fresh.on('error', () => {
      if (client === fresh) client = null;
    });
    await fresh.connect();
    client = fresh;
    return fresh;
  };
  return {
    async query(text, values = []) {
      const deadline = Date.now() + patienceMilliseconds;
      for (;;) {
        try {
          return (await (await connected()).query(text, values)).rows;
        } catch (error) {
          if (Date.now() > deadline || isOurMistake(error)) throw error;
          const broken = client;
          client = null;
          broken?.end().catch(() => undefined);
          await sleep(200, undefined, { signal });
        }
      }
    },
    close: async () => {
      await client?.end().catch(() => undefined);
    },
  };
}

/** Class 42: the statement itself is wrong, and stays so. */
function isOurMistake(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('42');
}
