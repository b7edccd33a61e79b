import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import { type LoggedPlan, logLinePrefix, parsePlanLog } from './parse-plan-log.ts';

/** What auto_explain logs: every statement with its buffers and rows, but without the time of each node. */
const databaseSettings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'off',
  'auto_explain.log_format': 'json',
};

const serverSettings = {
  log_line_prefix: logLinePrefix,
  // Vacuum must not change what a statement reads while it is measured.
  autovacuum: 'off',
  // Seeding writes gigabytes, which need not survive a crash: the stack is deleted after the run.
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '8GB',
};

/** Makes Postgres log the plans of all sessions that start from now on, while the service runs unchanged. */
export async function logPlans(database: Client): Promise<void> {
  await database.query("load 'auto_explain'"); // defines the settings that follow
  for (const [name, value] of Object.entries(databaseSettings))
    await database.query(`alter database kinora set ${name} = '${value}'`);
  for (const [name, value] of Object.entries(serverSettings))
    await database.query(`alter system set ${name} = '${value}'`);
  await database.query('select pg_reload_conf()');
}

/** Starts to record. Returns a function that returns the plans that Postgres has logged since. */
export function recordPlans({ info }: Stack): () => LoggedPlan[] {
  const path = join(info.folder, 'postgres.log');
  const from = sizeOf(path);
  return () => parsePlanLog(readFrom(path, from));
}

function sizeOf(path: string): number {
  return withFile(path, (file) => fstatSync(file).size);
}

function readFrom(path: string, position: number): string {
  return withFile(path, (file) => {
    const bytes = Buffer.alloc(fstatSync(file).size - position);
    readSync(file, bytes, 0, bytes.length, position);
    return bytes.toString('utf8');
  });
}

function withFile<Result>(path: string, work: (file: number) => Result): Result {
  const file = openSync(path, 'r');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
