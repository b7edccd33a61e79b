import { startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { createPastPartitions } from '@kinora/stack/harness/past-partitions';
import type { Stack } from '@kinora/stack/parts/stack';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { runSql } from './run-sql.ts';

/** A stack whose database has all partitions of a month, and holds nothing but one project and its keys. */
export interface BenchStack {
  stack: Stack;
  seed: { projectId: string; liveKey: string; testKey: string };
}

interface SharedStack extends AsyncDisposable {
  open(): Promise<BenchStack>;
}

/** Days for which tasks are kept. An installation that has run for a month has a partition for each of them. */
const pastDays = 30;
const seededDatabase = 'kinora_seeded';

/**
 * The benches of a run share a stack, because starting and migrating one takes as long as a quick bench. Each of them
 * opens it with a fresh database. Temporal keeps what a bench before has left open, so a bench must end its tasks if a
 * later one starts a worker. The first bench that needs the stack starts it.
 */
export function createSharedStack(report: (line: string) => void): SharedStack {
  let started: BenchStack | null = null;
  return {
    async open() {
      if (started) await copyDatabase(started.stack, { from: seededDatabase, to: 'kinora' });
      else started = await startSeeded(report);
      return started;
    },
    async [Symbol.asyncDispose]() {
      await started?.stack.wipe();
    },
  };
}

async function startSeeded(report: (line: string) => void): Promise<BenchStack> {
  const stack = await startTemporaryStack('bench', report);
  try {
    const { projectId, liveKey, testKey } = await startInstallation({ stack, roles: [], onProgress: report });
    const database = await openDatabase(stack);
    await createPastPartitions(database, pastDays);
    await database.end();
    await copyDatabase(stack, { from: 'kinora', to: seededDatabase });
    return { stack, seed: { projectId, liveKey, testKey } };
  } catch (error) {
    await stack.wipe();
    throw error;
  }
}

/** Replaces a database by a copy of another one, whatever is still connected to it. */
function copyDatabase(stack: Stack, { from, to }: { from: string; to: string }): Promise<void> {
  return runSql(
    stack,
    'postgres',
    `drop database if exists ${to} with (force)`,
    `create database ${to} template ${from}`,
  );
}
