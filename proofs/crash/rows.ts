import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

const patienceMilliseconds = 60_000;

/** Queries Kinora's database directly. */
export interface Rows {
  /** Runs a query, and repeats it for at most a minute while Postgres is down. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export function createRows(databaseUrl: string, signal: AbortSignal): Rows {
  let client: Client | null = null;
  const connected = async (): Promise<Client> => {
    if (client) return client;
    const fresh = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
    // The proof kills Postgres on purpose; the query that was running gets the error.
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

/** Error class 42: the statement itself is wrong, so repeating it cannot help. */
function isOurMistake(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('42');
}
