import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Schema } from './schema.ts';

const channel = 'kinora';
const shortestRetryMilliseconds = 100;
const longestRetryMilliseconds = 5_000;
const probeMilliseconds = 5_000;

export function noticeTable(db: Kysely<Schema>) {
  return {
    /** Tells these texts to everyone who listens. Never inside the transaction of a task: NOTIFY serialises commits. */
    async send(payloads: readonly string[]): Promise<void> {
      await sql`select pg_notify(${channel}, payload) from unnest(${[...payloads]}::text[]) payload`.execute(db);
    },
  };
}

interface Options {
  /** A direct connection: behind a transaction pooler nothing would be heard. */
  databaseUrl: string;
  onNotice: (payload: string) => void;
  /** From now on every notice is heard; what was said before may have been missed. */
  onListening: () => void;
}

export interface NoticeListener {
  isListening(): boolean;
  close(): Promise<void>;
}

/** Listens for ever: a connection that is lost is made anew. */
export function listenForNotices({ databaseUrl, onNotice, onListening }: Options): NoticeListener {
  let client: pg.Client | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let retryMilliseconds = shortestRetryMilliseconds;

  const again = (milliseconds: number): void => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void maintain(), milliseconds);
  };
  const drop = (): void => {
    const former = client;
    client = null;
    former?.end().catch(() => undefined);
  };

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'kinora-listen',
      connectionTimeoutMillis: 3_000,
      query_timeout: 3_000,
      keepAlive: true,
    });
    // A former connection may end long after its successor stands.
    const onGone = (): void => {
      if (client !== fresh) return;
      drop();
      again(shortestRetryMilliseconds);
    };
    fresh.on('error', onGone);
    fresh.on('end', onGone);
    fresh.on('notification', ({ payload }) => {
      if (client === fresh && payload) onNotice(payload);
    });
    try {
      await fresh.connect();
      client = fresh;
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      if (client === fresh) client = null;
      fresh.end().catch(() => undefined);
      throw error;
    }
    if (client !== fresh || isClosed) return drop();
    retryMilliseconds = shortestRetryMilliseconds;
    onListening();
  };

  const maintain = async (): Promise<void> => {
    try {
      // A connection can die without a word; a question finds out.
      if (client) await client.query('select 1');
      else await connect();
      again(client ? probeMilliseconds : retryMilliseconds);
    } catch {
      drop();
      again(retryMilliseconds);
      retryMilliseconds = Math.min(longestRetryMilliseconds, retryMilliseconds * 2);
    }
  };
  void maintain();

  return {
    isListening: () => client !== null,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      const former = client;
      client = null;
      await former?.end().catch(() => undefined);
    },
  };
}
