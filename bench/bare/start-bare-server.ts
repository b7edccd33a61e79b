import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Stack } from '@kinora/stack/parts/stack';
import { backendsOf, type ProcessGroup, program } from '../process-groups.ts';
import { databaseUrlOf, runSql } from '../run-sql.ts';
import { startBareProgram } from './start-bare-program.ts';

export interface BareServer extends AsyncDisposable {
  url: string;
  groups: ProcessGroup[];
  /** The headers of a request with a key that exists. */
  headers: Record<string, string>;
}

const database = 'bare';

/** Starts the bare server on a database of its own with one key. */
export async function startBareServer(stack: Stack): Promise<BareServer> {
  const key = randomUUID();
  const sha256 = createHash('sha256').update(key).digest('hex');
  await runSql(stack, 'postgres', `drop database if exists ${database} with (force)`, `create database ${database}`);
  await runSql(
    stack,
    database,
    'create table api_keys (sha256 bytea primary key, project_id uuid not null)',
    'create table tasks (id uuid primary key, project_id uuid not null, body jsonb not null)',
    `insert into api_keys values ('\\x${sha256}', '${randomUUID()}')`,
  );
  const args = [join(import.meta.dirname, 'bare-server.ts'), databaseUrlOf(stack, database)];
  const { pid, readyLine, stop } = await startBareProgram(stack, { name: 'bare server', args, ready: /^\d+$/ });
  return {
    url: `http://127.0.0.1:${readyLine}`,
    groups: [program('bare', () => pid), backendsOf(database, () => stack.pid('postgres'))],
    headers: { 'x-key': key },
    [Symbol.asyncDispose]: stop,
  };
}
