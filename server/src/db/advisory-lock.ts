import pg from 'pg';

const retryMilliseconds = 1_000;
const probeMilliseconds = 2_000;

export interface AdvisoryLock {
  isHeld(): boolean;
  close(): Promise<void>;
}

interface Options {
  /** A direct connection: behind a transaction pooler a session lock would not belong to this process. */
  databaseUrl: string;
  name: string;
  onTaken?: () => void;
  onLost?: () => void;
}

/**
 * Keeps trying to hold a Postgres advisory lock until it is closed. Postgres frees the lock with the connection, and so
 * with the process that holds it.
 */
export function holdAdvisoryLock({ databaseUrl, name, onTaken, onLost }: Options): AdvisoryLock {
  let client: pg.Client | null = null;
  let isHeld = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const drop = (): void => {
    const former = client;
    client = null;
    if (isHeld) {
      isHeld = false;
      onLost?.();
    }
    former?.end().catch(() => undefined);
  };

  const maintain = async (): Promise<void> => {
    try {
      if (!client) {
        const fresh = new pg.Client({
          connectionString: databaseUrl,
          application_name: 'kinora-lock',
          connectionTimeoutMillis: 3_000,
          query_timeout: 3_000,
          keepAlive: true,
        });
        // An old connection may end long after its successor is established; only the current one can lose the lock.
        const onEnd = (): void => {
          if (client === fresh) drop();
        };
        fresh.on('error', onEnd);
        fresh.on('end', onEnd);
        await fresh.connect();
        if (isClosed) {
          await fresh.end();
          return;
        }
        client = fresh;
      }
      const statement = isHeld
        ? 'select true as taken'
        : 'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken';
      const result = await client.query<{ taken: boolean }>(statement, isHeld ? [] : [`kinora:${name}`]);
      if (!isHeld && result.rows[0]?.taken && client) {
        isHeld = true;
        onTaken?.();
      }
    } catch {
      drop();
    }
    if (!isClosed) timer = setTimeout(() => void maintain(), isHeld ? probeMilliseconds : retryMilliseconds);
  };
  void maintain();

  return {
    isHeld: () => isHeld,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      isHeld = false; // released on purpose, so onLost is not called
      const former = client;
      drop();
      await former?.end().catch(() => undefined);
    },
  };
}
