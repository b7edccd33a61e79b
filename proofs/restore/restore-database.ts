import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import type { PostgresServer } from '@kinora/stack/parts/postgres-server';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Caller } from '../faults/caller.ts';
import type { FaultEvidence } from '../faults/fault-evidence.ts';
import { copies, type FaultWorld } from '../faults/fault-world.ts';
import { runPageCommands } from '../faults/page-commands.ts';
import { queryServer } from '../faults/query-server.ts';
import { listKeys, withStore } from '../list-keys.ts';
import { sweepUnder } from './sweep-under.ts';

export interface RestoreParts {
  world: FaultWorld;
  caller: Caller;
  server: PostgresServer;
  backup: Record<string, string>;
}

/** The variables that the commands of the page on backups read. */
export function backupOf({ info }: Stack, server: PostgresServer): Record<string, string> {
  return {
    PRIMARY_URL: server.urlOf('postgres'),
    ARCHIVE: join(info.folder, 'archive'),
    BACKUP: join(info.folder, 'backup'),
    ...server.environment,
  };
}

/** Restores an earlier moment from backup and log; Temporal and the bucket keep what came later, `whileLost` too. */
export async function restoreDatabase({ world, caller, server, backup }: RestoreParts, whileLost: () => Promise<void>) {
  await completeOne(caller);
  await runPageCommands('base-backup', backup);
  await completeOne(caller);
  const [target] = await queryServer<{ text: string; at: number }>(
    server,
    'select now()::text as text, extract(epoch from now())::float8 * 1000 as at',
  );
  if (!target) throw new Error('Postgres returned no time');
  await completeOne(caller); // a video in the bucket that the restored database does not know
  await whileLost();
  const objects = await keysOf(world.stack);
  world.report('restoring Postgres');
  const { installation } = world;
  const processes = (['api', 'relay', 'worker'] as const).flatMap((role) =>
    Array.from({ length: copies[role] }, (_, copy) => [role, copy] as const),
  );
  await Promise.all(processes.map(([role, copy]) => installation.stop(role, 'SIGTERM', copy)));
  const span: FaultEvidence['rolledBack'][number] = { from: target.at, until: Date.now() };
  await runPageCommands('restore', { ...backup, TARGET_TIME: target.text });
  const sweep = await sweepUnder(world, 'the restored database', server.urlOf('kinora'));
  await Promise.all(processes.map(([role, copy]) => installation.start(role, {}, copy)));
  return { span, sweep, objects };
}

/** Creates a task and waits until it is completed. */
export async function completeOne(caller: Caller): Promise<void> {
  const deadline = Date.now() + hangLimitMilliseconds;
  const isOver = (): boolean => Date.now() > deadline;
  const task = await caller.create(isOver);
  if (task) await caller.untilCompleted(task, isOver);
}

export function keysOf({ info }: Stack): Promise<string[]> {
  return withStore(info.s3, (client) => listKeys(client, info.s3.bucket));
}
