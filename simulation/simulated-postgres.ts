import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Schema } from '../server/src/db/connection/schema.ts';
import { type Database, databaseOf } from '../server/src/db/database.ts';
import type { TaskChange } from '../server/src/db/tasks/task-table.ts';
import type { Process, Scheduler } from './scheduler.ts';

/** What Postgres calls instead of its own clock. The search path names their schema before `pg_catalog`. */
export const virtualClock = ['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp']
  .map(
    (name) =>
      `create function public.${name}() returns timestamptz language sql stable parallel safe
        as $$ select pg_catalog.current_setting('kinora.now')::timestamptz $$;`,
  )
  .join('\n');

/** The one connection through which all processes of a world reach its database: only one of them uses it at a time. */
export class SimulatedPostgres {
  readonly #client: pg.Client;
  #setMilliseconds = Number.NaN;
  /** A connection for the judge, which costs the world no step. */
  readonly judge = over(async () => ({ query: (text, values) => this.#run(text, values), release: () => undefined }));

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async connect(config: pg.ClientConfig): Promise<SimulatedPostgres> {
    // A statement and the setting of the clock before it are sent together.
    const client = new pg.Client({ ...config, pipeline: true });
    await client.connect();
    return new SimulatedPostgres(client);
  }

  /** Returns the database as one process of a world sees it. */
  databaseFor(
    scheduler: Scheduler,
    process: Process,
    { offsetMilliseconds, onTaskChanged }: { offsetMilliseconds: number; onTaskChanged?: (change: TaskChange) => void },
  ): Database {
    const kysely = over(async () => {
      let isInTransaction = false;
      const leave = await scheduler.enter(process, 'postgres', async () => {
        if (!isInTransaction) return;
        await this.#client.query('rollback');
        this.#setMilliseconds = Number.NaN;
      });
      const query = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
        if (!process.isAlive) await never;
        const { name, isWrite, usesClock } = statementOf(text);
        if (text === 'begin' || text.startsWith('start transaction')) {
          isInTransaction = true;
          this.#run(text).catch(() => undefined); // if this fails, so does the statement that follows it
          return nothing;
        }
        if (usesClock) this.#setClock(scheduler.milliseconds + offsetMilliseconds);
        const result = await this.#run(text, values).catch((error: unknown) => {
          scheduler.note(() => `  ${name} ${JSON.stringify(values)} failed: ${String(error)}`);
          throw error;
        });
        if (text === 'commit' || text === 'rollback') isInTransaction = false;
        if (text === 'rollback') this.#setMilliseconds = Number.NaN; // a setting is rolled back, too
        if (isWrite && (result.rowCount ?? 0) > 0) scheduler.changes += 1;
        scheduler.note(() => `  ${name} ${JSON.stringify([values, result.rows])}`);
        if (!isInTransaction && text !== 'rollback') await scheduler.learn(process, 'postgres');
        return result;
      };
      return { query, release: leave };
    });
    return databaseOf(kysely, kysely, { fileRetentionDays: 7, onTaskChanged });
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  #run(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    if (values.length === 0) return this.#client.query(text);
    return this.#client.query({ name: statementOf(text).name, text, values: [...values] });
  }

  #setClock(now: number): void {
    if (now === this.#setMilliseconds) return;
    this.#setMilliseconds = now;
    // If this fails, so does the statement that follows it.
    this.#client.query(`set kinora.now = '${new Date(now).toISOString()}'`).catch(() => undefined);
  }
}

const nothing: pg.QueryResult = { command: '', rowCount: 0, oid: 0, rows: [], fields: [] };

/** What a dead process waits for. */
const never = new Promise<never>(() => undefined);

interface Connection {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
  release(): void;
}

function over(connect: () => Promise<Connection>): Kysely<Schema> {
  // Kysely sends texts only: nothing here streams.
  const pool = { options: {}, connect, end: async () => undefined } as unknown as PostgresPool;
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

interface Statement {
  /** It is planned once, and appears in the history, under this name. */
  name: string;
  isWrite: boolean;
  /** A write may have a trigger that does. */
  usesClock: boolean;
}

const statements = new Map<string, Statement>();

function statementOf(text: string): Statement {
  const known = statements.get(text);
  if (known) return known;
  const [first = ''] = /^\s*\w+/.exec(text) ?? [];
  const withoutLocks = text.replaceAll(/for update|for no key update/gi, '');
  const isWrite = /\b(insert into|update|delete from)\b|admit_tasks/i.test(withoutLocks);
  const statement = {
    name: `${first.trim()}_${createHash('sha256').update(text).digest('hex').slice(0, 12)}`,
    isWrite,
    usesClock: isWrite || /\bnow\(|_timestamp\(/i.test(text),
  };
  statements.set(text, statement);
  return statement;
}
