import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { TimeReading } from './postgres-clock.ts';
import { createStatementNames } from './statement-names.ts';

/** 2 s: a connection that responded so recently is used without a probe, so a busy pool pays for none. */
const trustedMilliseconds = 2_000;
/** 2 s: a probe takes less than 1 ms, and callers wait for it. */
const probeMilliseconds = 2_000;

/** 4: a quiet API serves that many requests at once without a new connection, which costs as much as ten requests. */
const keptConnections = 4;
/** 8 s: less than the 10 s after which the pool closes an idle connection, and the 30 s after which Postgres does. */
const keepEveryMilliseconds = 8_000;

/**
 * What the server does about a silent client: if its host has vanished, TCP notices after 11 s instead of 2 h; if it is
 * frozen, its session ends after 30 s without a query, with its locks. The pool closes most connections after 10 s.
 */
export const sessionSettings = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '11000',
  idle_session_timeout: '30000',
};

interface LivePoolConfig extends pg.PoolConfig {
  /** Whether statements that run often keep their plan for as long as the session lives. */
  namesStatements: boolean;
  /** Called with what Postgres's clock says, which every probe asks for. */
  onTime?: ((reading: TimeReading) => void) | undefined;
}

/**
 * A pool that replaces connections whose host has vanished or is no longer the primary. Such a connection stays open for
 * minutes: the kernel reports nothing, and a demoted primary keeps serving reads.
 */
export function createLivePool({ namesStatements, onTime, ...config }: LivePoolConfig): {
  pool: PostgresPool;
  events: pg.Pool;
} {
  const names = namesStatements ? createStatementNames() : null;
  const pool = new pg.Pool({
    ...config,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // 5 min: the load follows a DNS change, and a session's memory on the server stays bounded.
    maxLifetimeSeconds: 300,
  });
  const lastUsedAt = new WeakMap<pg.PoolClient, number>();
  const guards = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  let distrustedAt = Number.NEGATIVE_INFINITY;

  /** Whatever ended this connection concerns those that idle beside it: each of them would cost a further time-out. */
  const discard = (client: pg.PoolClient): void => {
    distrustedAt = performance.now();
    destroy(client);
  };

  const connect = async (): Promise<PostgresPoolClient> => {
    for (;;) {
      const client = await pool.connect();
      const usedAt = lastUsedAt.get(client);
      if (usedAt !== undefined && usedAt <= distrustedAt) {
        destroy(client);
        continue;
      }
      if (usedAt !== undefined && performance.now() - usedAt < trustedMilliseconds) return guardOf(client);
      try {
        const reading = await probePrimary(client, usedAt === undefined ? sessionSettings : {});
        if (reading) onTime?.(reading);
        return guardOf(client);
      } catch (error) {
        discard(client);
        // Another new connection would most likely fail alike, and the caller should learn it.
        if (usedAt === undefined) throw error;
      }
    }
  };

  /** Returns the same object for as long as the connection lives, so that Kysely makes its own only once. */
  const guardOf = (client: pg.PoolClient): PostgresPoolClient => {
    const guarded = guards.get(client) ?? guard(client);
    guards.set(client, guarded);
    return guarded;
  };

  const guard = (client: pg.PoolClient): PostgresPoolClient => {
    let failure: unknown = null;
    let isInTransaction = false;
    let isOutdated = false;
    const send = (name: string | undefined, text: string, values: unknown[]) =>
      client.query({ name, text, values } as pg.QueryConfig);
    /** Without a name, Postgres plans it anew. It was refused before it began, so nothing happens twice. */
    const repeatOutdated = (error: unknown, text: string, values: unknown[]) => {
      if (isInTransaction || !isPlanOutdated(error)) throw error;
      isOutdated = true;
      distrustedAt = performance.now();
      return send(undefined, text, values);
    };
    const query = async (text: string, values: unknown[]): Promise<unknown> => {
      if (failure !== null) throw failure; // such as a rollback after a statement that timed out
      if (/^(begin|start transaction)\b/.test(text)) isInTransaction = true;
      if (/^(commit|rollback)$/.test(text)) isInTransaction = false;
      try {
        return await send(names?.nameOf(text, values), text, values).catch((error: unknown) =>
          repeatOutdated(error, text, values),
        );
      } catch (error) {
        if (isConnectionUseless(error) || isPlanOutdated(error)) {
          failure = error;
          discard(client);
        }
        throw error;
      }
    };
    return {
      // Kysely passes a cursor instead of a text only for streams, and this pool offers it no cursor.
      query: query as PostgresPoolClient['query'],
      release: (isBroken) => {
        if (failure !== null) return;
        lastUsedAt.set(client, performance.now());
        client.release(isBroken || isOutdated);
      },
    };
  };

  // A session that keeps plans is expensive to replace. A frozen process uses none, so Postgres still ends its sessions.
  const keepConnections = async (): Promise<void> => {
    const idle = Array.from({ length: Math.min(keptConnections, pool.idleCount) }, connect);
    for (const client of await Promise.allSettled(idle)) if (client.status === 'fulfilled') client.value.release();
  };
  const keeping = namesStatements
    ? setInterval(() => void keepConnections(), keepEveryMilliseconds).unref()
    : undefined;

  const end = async (): Promise<void> => {
    clearInterval(keeping);
    await pool.end();
  };
  return { pool: { connect, end, options: pool.options }, events: pool };
}

/**
 * Returns what the server's clock says. Throws if it does not respond within 2 s, or does not accept writes. The settings, if any, hold until the session
 * ends. They are set here because an address with `options` would override those of the client.
 */
export async function probePrimary(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>> = {},
): Promise<TimeReading | null> {
  const probe = {
    text: `select current_setting('transaction_read_only') as read_only, clock_timestamp() as at,
      (select count(set_config(key, value, false)) from json_each_text($1))`,
    values: [JSON.stringify(settings)],
    query_timeout: probeMilliseconds,
  };
  const sentAt = performance.now();
  const [row] = (await client.query<{ read_only: string; at: Date }>(probe)).rows;
  if (row?.read_only === 'on') throw new ReadOnlyServerError();
  return row ? { at: row.at, tookMilliseconds: performance.now() - sentAt } : null;
}

/** A fresh connection can reach a standby or a demoted primary, for example while DNS still names it. */
class ReadOnlyServerError extends Error {
  readonly code = '25006';
  constructor() {
    super('This Postgres server is read-only: it is a standby, or no longer the primary');
  }
}

/** Returns whether an error says that nothing more can be expected of its connection. */
function isConnectionUseless(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'Query read timeout' || ('code' in error && error.code === '25006');
}

/** Whether a migration changed a named statement's columns: Postgres then refuses it for the rest of the session. */
export function isPlanOutdated(error: unknown): boolean {
  // The code has other meanings too, and the message is translated.
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === '0A000' &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery'
  );
}

function destroy(client: pg.PoolClient): void {
  client.release(true);
  // Otherwise pg waits until the server closes its side, which a vanished host never does. The types lack `connection`.
  (client as unknown as { connection: pg.Connection }).connection.stream.destroy();
}
