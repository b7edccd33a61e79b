import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { eventually } from '@kinora/stack/harness/eventually';
import { startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';
import { Client } from 'pg';

export interface BareServer {
  url: string;
  pid: number;
  /** The headers of a request with a key that exists. */
  headers: Record<string, string>;
  stop(): Promise<void>;
}

/** The database of the bare programs, in the Postgres of the stack. */
export const bareDatabase = 'bare';

/** Starts the bare server on a database of its own, with as many keys as Kinora has projects in the benches. */
export async function startBareServer({ info }: Stack): Promise<BareServer> {
  const databaseUrl = new URL(info.databaseUrl);
  await query(databaseUrl, `drop database if exists ${bareDatabase} with (force)`);
  await query(databaseUrl, `create database ${bareDatabase}`);
  databaseUrl.pathname = `/${bareDatabase}`;
  await query(
    databaseUrl,
    `create table api_keys (sha256 bytea primary key, project_id uuid not null);
     create table tasks (id uuid primary key, project_id uuid not null, body jsonb not null)`,
  );
  const key = randomUUID();
  const sha256 = createHash('sha256').update(key).digest('hex');
  await query(databaseUrl, `insert into api_keys values ('\\x${sha256}', '${randomUUID()}')`);
  let port: string | null = null;
  const child = startProcess({
    name: 'bare server',
    command: process.execPath,
    arguments: [join(import.meta.dirname, 'bare-server.ts'), databaseUrl.href],
    logPath: join(info.folder, 'bare-server.log'),
    onLine: (line) => {
      port ??= /^\d+$/.exec(line)?.[0] ?? null;
    },
  });
  await eventually('the bare server listens', () => port !== null);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    headers: { 'x-key': key },
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}

async function query(url: URL, text: string): Promise<void> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
