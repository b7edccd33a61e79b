import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Clock } from '../../domain/clock.ts';
import { random } from '../../domain/random.ts';
import { probePrimary, sessionSettings } from './live-pool.ts';
import { createShareLocks, type LocksFound } from './share-locks.ts';

const roundMilliseconds = 1_000;
/** The server ends a session, and frees its locks, after 10 s of silence. A healthy one is silent for 4 s at most. */
const lockSettings = { ...sessionSettings, idle_session_timeout: '10000' };

export interface AdvisoryLock {
  isHeld(): boolean;
  /** Releases the lock, or stops trying to take it. `onLost` is not called. */
  close(): Promise<void>;
}

/** `given-up`: this session held more than its share. */
type Loss = 'connection-lost' | 'given-up';

interface Listeners {
  onTaken?: () => void;
  onLost?: (loss: Loss) => void;
}

/** One connection to Postgres that holds all advisory locks of a process. */
export interface LockSession {
  /** Keeps trying to hold a lock until it is closed. If a process asks twice, its second lock waits for the first. */
  hold: (name: string, listeners?: Listeners) => AdvisoryLock;
  /** Returns how many locks this session holds. */
  countHeld: () => number;
  close: () => Promise<void>;
}

interface Hold {
  name: string;
  preference: string;
  listeners: Listeners;
  isHeld: boolean;
}

interface Options {
  clock: Clock;
  /** A direct connection: behind a transaction pooler a session lock would not belong to this process. */
  databaseUrl: string;
  /** The sessions of a group share their locks out evenly. */
  group: string;
}

/**
 * Opens a session whose locks Postgres frees when the connection ends or falls silent. Locks only save work: a process that
 * was frozen may act for a moment on a lock that it has lost, so whatever must not happen twice needs another guard.
 */
export function openLockSession({ clock, databaseUrl, group }: Options): LockSession {
  const id = random.uuid();
  const shareOut = createShareLocks();
  const holds = new Set<Hold>();
  /** The locks of this session, wanted or not. */
  let own = new Set<string>();
  let client: pg.Client | null = null;
  let isClosed = false;
  let isRoundDue = false;
  /** What was wanted and held when all was shared out for good; null if the next round has to look at each name. */
  let settledAt: string | null = null;
  /** Counts the changes of what is wanted. */
  let changes = 0;
  let wake: () => void = () => undefined;
  let nextRound = Promise.withResolvers<void>();

  const take = (hold: Hold): void => {
    if (hold.isHeld || !holds.has(hold)) return;
    hold.isHeld = true;
    hold.listeners.onTaken?.();
  };
  const lose = (hold: Hold, loss: Loss): void => {
    if (!hold.isHeld) return;
    hold.isHeld = false;
    hold.listeners.onLost?.(loss);
  };

  const drop = async (): Promise<void> => {
    const former = client;
    client = null;
    settledAt = null;
    own = new Set();
    for (const hold of holds) lose(hold, 'connection-lost');
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
      await joinGroup(fresh, group);
    } catch (error) {
      fresh.end().catch(() => undefined);
      throw error;
    }
    return fresh;
  };

  const round = async (): Promise<void> => {
    if (holds.size === 0 && own.size === 0) return;
    client ??= await connect();
    const session = client;
    await probePrimary(session); // a demoted primary would go on holding locks that the new one knows nothing of
    const seen = [changes, await fingerprint(session)].join(' ');
    if (settledAt === seen || client !== session) return;
    const wanted = firstOfEachName(holds);
    const names = [...wanted.keys()];
    const found = await findLocks(session, group, names);
    if (client !== session) return;
    const { giveUp, take: tries, isSettled } = shareOut({ wanted: names, ...found }, clock.elapsed());
    const givenUp = new Set(giveUp);
    // The listeners come first: this process must not act on a lock that another one may have already.
    for (const [name, hold] of wanted) {
      if (!found.own.has(name)) lose(hold, 'connection-lost');
      else if (givenUp.has(name)) lose(hold, 'given-up');
    }
    await unlock(session, [...giveUp, ...[...own].filter((name) => !wanted.has(name))]);
    const taken = await tryLocks(session, tries);
    if (client !== session) return;
    own = new Set([...names.filter((name) => found.own.has(name) && !givenUp.has(name)), ...taken]);
    for (const [name, hold] of wanted) if (own.has(name)) take(hold);
    // What it found is at least as new as what it has seen.
    settledAt = isSettled ? seen : null;
  };

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
        const stop = clock.after(roundMilliseconds, resolve);
        wake = () => {
          stop();
          resolve();
        };
      });
    }
  };
  const roundSoon = (): void => {
    changes += 1;
    isRoundDue = true;
    wake();
  };
  const running = run();

  return {
    hold: (name, listeners = {}) => {
      // Each session prefers other locks, so that sessions that start together do not all try the same ones.
      const preference = createHash('sha256').update(`${id} ${name}`).digest('hex');
      const hold: Hold = { name, preference, listeners, isHeld: false };
      holds.add(hold);
      roundSoon();
      return {
        isHeld: () => hold.isHeld,
        close: async () => {
          holds.delete(hold);
          hold.isHeld = false;
          if (!own.has(name)) return;
          roundSoon();
          await Promise.race([nextRound.promise, running]);
        },
      };
    },
    countHeld: () => own.size,
    close: async () => {
      isClosed = true;
      for (const hold of holds) hold.isHeld = false;
      holds.clear();
      roundSoon();
      await drop();
      await running;
      await drop(); // a round that was connecting may have left one
    },
  };
}

/** Returns the holds that may take their lock now, most preferred first. */
function firstOfEachName(holds: Iterable<Hold>): Map<string, Hold> {
  const first = new Map<string, Hold>();
  for (const hold of holds) if (!first.has(hold.name)) first.set(hold.name, hold);
  return new Map([...first].toSorted(([, one], [, other]) => (one.preference < other.preference ? -1 : 1)));
}

const keyOf = (name: string): string => `hashtextextended('kinora:' || ${name}, 0)`;

/** Other sessions count this one by a lock that all of them share. */
async function joinGroup(client: pg.Client, group: string): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${keyOf('$1::text')})`, [`group:${group}`]);
}

/** All advisory locks of the database. */
const heldLocks = `select (classid::bigint << 32) | objid::bigint as key, pid, pid = pg_backend_pid() as is_own
  from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())`;

/** Changes if any session takes or loses a lock, and with this session itself. It costs the same however many names there are. */
async function fingerprint(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ seen: string }>(
    `select concat_ws(' ', pg_backend_pid(), count(*), bit_xor(hashint8extended(key, pid))) as seen from (${heldLocks}) held`,
  );
  return rows[0]?.seen ?? '';
}

/**
 * Reads who holds what, oldest session first, so that a new one takes nothing from those with a smaller share. It asks
 * about this session's own locks too: behind a pooler, the session may be another one by now.
 */
async function findLocks(
  client: pg.Client,
  group: string,
  names: readonly string[],
): Promise<Omit<LocksFound, 'wanted'>> {
  const { rows } = await client.query<{ self: number; sessions: number[]; own: string[]; others: string[] }>(
    `with held as materialized (${heldLocks})
     , found as (select name, is_own from unnest($1::text[]) name join held on key = ${keyOf('name')})
     select pg_backend_pid() as self,
       array(
         select pid from held join pg_stat_activity using (pid) where key = ${keyOf('$2::text')} order by backend_start, pid
       ) as sessions,
       array(select name from found where is_own) as own,
       array(select name from found where not is_own) as others`,
    [names, `group:${group}`],
  );
  const { self = 0, sessions = [], own = [], others = [] } = rows[0] ?? {};
  return { self, sessions, own: new Set(own), others: new Set(others) };
}

async function unlock(client: pg.Client, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(`select pg_advisory_unlock(${keyOf('name')}) from unnest($1::text[]) name`, [names]);
}

/** Returns the names of the locks that it took. */
async function tryLocks(client: pg.Client, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) name where pg_try_advisory_lock(${keyOf('name')})`,
    [names],
  );
  return rows.map(({ name }) => name);
}
