import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { probePrimary, sessionSettings } from './live-pool.ts';
import type { Schema } from './schema.ts';

const channel = 'kinora';
const shortestRetryMilliseconds = 100;
const longestRetryMilliseconds = 5_000;
const probeMilliseconds = 5_000;

export function noticeTable(db: Kysely<Schema>) {
  return {
    /** Sends texts to every listening process; never in a task's transaction, because NOTIFY serialises commits. */
    async send(payloads: readonly string[]): Promise<void> {
      await sql`select pg_notify(${channel}, payload) from unnest(${[...payloads]}::text[]) payload`.execute(db);
    },
  };
}

interface Options {
  /** A direct connection: behind a transaction pooler no notice would arrive. */
  databaseUrl: string;
  onNotice: (payload: string) => void;
  /** Called once the connection listens: every later notice arrives, but earlier ones may have been missed. */
  onListening: () => void;
}

export interface NoticeListener {
  isListening(): boolean;
  close(): Promise<void>;
}

/** Listens until it is closed, and reconnects whenever the connection is lost. */
export function listenForNotices({ databaseUrl, onNotice, onListening }: Options): NoticeListener {
  let client: pg.Client | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let retryMilliseconds = shortestRetryMilliseconds;

  const runAfter = (milliseconds: number): void => {
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
      keepAliveInitialDelayMillis: 5_000,
    });
    // An old connection may end long after its successor is established.
    const onEnd = (): void => {
      if (client !== fresh) return;
      drop();
      runAfter(shortestRetryMilliseconds);
    };
    fresh.on('error', onEnd);
    fresh.on('end', onEnd);
    fresh.on('notification', ({ payload }) => {
      if (client === fresh && payload) onNotice(payload);
    });
    try {
      await fresh.connect();
      client = fresh;
      await probePrimary(fresh, sessionSettings);
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
      // A connection can die silently, and a demoted primary sends no more notices.
      if (client) await probePrimary(client);
      else await connect();
      runAfter(client ? probeMilliseconds : retryMilliseconds);
    } catch {
      drop();
      runAfter(retryMilliseconds);
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
