import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Schema } from './schema.ts';

/** Every statement of such a session sends its plan, with the pages that it has read, as a notice. */
const sessionSettings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

interface Plan {
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
}

/** Connects to a database so that a test can ask what its statements cost, which does not depend on the machine. */
export function connectWithPlanCosts(url: string) {
  const options = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  const pool = new pg.Pool({ connectionString: url, max: 1, options: options.join(' ') });
  let pages = 0;
  // The database may be dropped before Postgres has ended this session. The pool reports that as well as its client.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', (client) =>
    client.on('notice', ({ message }) => {
      const json = message?.slice(message.indexOf('{'));
      if (!json?.startsWith('{')) return;
      const { Plan: root } = JSON.parse(json) as Plan;
      pages += root['Shared Hit Blocks'] + root['Shared Read Blocks'];
    }),
  );
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    kysely,
    /** Returns the result of `work`, and how many pages of 8 kB its statements have read. */
    async measure<T>(work: () => Promise<T>): Promise<{ result: T; pages: number }> {
      pages = 0;
      return { result: await work(), pages };
    },
    close: () => kysely.destroy(),
  };
}
