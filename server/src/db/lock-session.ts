import pg from 'pg';
import { probePrimary, sessionSettings } from './live-pool.ts';

const roundMilliseconds = 1_000;
/**
 * 10 s: the server ends a session that has been silent for so long, and so frees the locks of a process that is frozen or
 * whose host has vanished. A healthy session is never silent for more than a round and its time-out, 4 s.
 */
const lockSettings = { ...sessionSettings, idle_session_timeout: '10000' };

export interface AdvisoryLock {
  isHeld(): boolean;
  /** Releases the lock, or stops trying to take it. `onLost` is not called. */
  close(): Promise<void>;
}

interface Listeners {
  onTaken?: () => void;
  onLost?: () => void;
}

/** One connection to Postgres that holds all advisory locks of a process. */
export interface LockSession {
  /** Keeps trying to hold a lock until it is closed. If a process asks twice, its second lock waits for the first. */
  hold(name: string, listeners?: Listeners): AdvisoryLock;
  close(): Promise<void>;
}

interface Hold {
  name: string;
  listeners: Listeners;
  isHeld: boolean;
}

/**
 * Opens a session whose locks Postgres frees when the connection ends or falls silent. Locks only save work: a process that
 * was frozen may act for a moment on a lock that it has lost, so whatever must not happen twice needs another guard.
 */
export function openLockSession({ databaseUrl }: { databaseUrl: string }): LockSession {
  const holds: Hold[] = [];
  /** The locks of this session, wanted or not. */
  const own = new Set<string>();
  let client: pg.Client | null = null;
  let isClosed = false;
  let wake: () => void = () => undefined;
  let nextRound = Promise.withResolvers<void>();

  const setHeld = (hold: Hold, isHeld: boolean): void => {
    if (hold.isHeld === isHeld) return;
    hold.isHeld = isHeld;
    if (isHeld) hold.listeners.onTaken?.();
    else hold.listeners.onLost?.();
  };

  const drop = async (): Promise<void> => {
    const former = client;
    client = null;
    own.clear();
    for (const hold of holds) setHeld(hold, false);
    await former?.end().catch(() => undefined);
  };

  const connect = async (): Promise<pg.Client> => {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'kinora-lock',
      connectionTimeoutMillis: 3_000,
      query_timeout: 3_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    });
    // An old connection may end long after its successor is established; only the current one can lose the locks.
    const onEnd = (): void => {
      if (client === fresh) void drop();
    };
    fresh.on('error', onEnd);
    fresh.on('end', onEnd);
    try {
      await fresh.connect();
      await probePrimary(fresh, lockSettings);
    } catch (error) {
      fresh.end().catch(() => undefined);
      throw error;
    }
    return fresh;
  };

  const round = async (): Promise<void> => {
    if (holds.length === 0 && own.size === 0) return;
    client ??= await connect();
    const session = client;
    await probePrimary(session); // a demoted primary would go on holding locks that the new one knows nothing of
    const wanted = new Map(holds.toReversed().map((hold) => [hold.name, hold])); // the first of each name
    await unlock(
      session,
      [...own].filter((name) => !wanted.has(name)),
    );
    const held = await lock(session, [...wanted.keys()]);
    if (client !== session) return;
    own.clear();
    for (const name of held) own.add(name);
    for (const hold of wanted.values()) if (holds.includes(hold)) setHeld(hold, own.has(hold.name));
  };

  let isRoundDue = false;
  const run = async (): Promise<void> => {
    while (!isClosed) {
      isRoundDue = false;
      const current = nextRound;
      nextRound = Promise.withResolvers();
      // Not awaited: a silent server never confirms the end of a connection.
      await round().catch(() => void drop());
      current.resolve();
      if (isClosed || isRoundDue) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, roundMilliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const roundSoon = (): void => {
    isRoundDue = true;
    wake();
  };
  const running = run();

  return {
    hold: (name, listeners = {}) => {
      const hold: Hold = { name, listeners, isHeld: false };
      holds.push(hold);
      roundSoon();
      return {
        isHeld: () => hold.isHeld,
        close: async () => {
          if (!holds.includes(hold)) return;
          holds.splice(holds.indexOf(hold), 1);
          hold.isHeld = false;
          roundSoon();
          if (client) await Promise.race([nextRound.promise, running]);
        },
      };
    },
    close: async () => {
      isClosed = true;
      for (const hold of holds.splice(0)) hold.isHeld = false;
      roundSoon();
      await drop();
      await running;
      await drop(); // a round that was connecting may have left one
    },
  };
}

/** The advisory locks of this database that any session holds, by the name's hash. */
const locks = `(select (classid::bigint << 32) | objid::bigint as key, pid from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())) locks`;
const keyOfName = `hashtextextended('kinora:' || name, 0)`;

async function unlock(client: pg.Client, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(`select pg_advisory_unlock(${keyOfName}) from unnest($1::text[]) name`, [names]);
}

/** Tries to take the locks that this session lacks, and returns those that it holds afterwards. */
async function lock(client: pg.Client, names: readonly string[]): Promise<string[]> {
  // pg_locks is asked about locks that were taken before as well: behind a pooler, the session may be another one by now.
  const { rows } = await client.query<{ name: string; is_held: boolean }>(
    `select name, case when pid is not null then true else pg_try_advisory_lock(${keyOfName}) end as is_held
     from unnest($1::text[]) name left join ${locks} on key = ${keyOfName} and pid = pg_backend_pid()`,
    [names],
  );
  return rows.filter((row) => row.is_held).map((row) => row.name);
}
