import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { eventually } from '@kinora/stack/harness/eventually';
import { openDatabase } from '@kinora/stack/harness/open-database';
import type { Stack } from '@kinora/stack/parts/stack';
import { stackFolder } from '@kinora/stack/parts/stack-state';
import { useTemporal } from '@kinora/stack/parts/stack-temporal';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { withStore } from './list-keys.ts';
import type { ProofOutcome } from './proof.ts';

/** Calls `work` with an empty stack and deletes the stack afterwards. */
export async function withStack<T>(report: (line: string) => void, work: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await startTemporaryStack('prove', report);
  try {
    return await work(stack);
  } finally {
    await stack.wipe();
  }
}

/** Returns a stack with its own database, Temporal namespace, bucket and folder, so that no proof disturbs another. */
export async function partitionStack(stack: Stack, proofName: string): Promise<Stack> {
  const name = `proof-${proofName}`;
  const folder = join(stack.info.folder, name);
  mkdirSync(folder);
  const server = await openDatabase(stack);
  try {
    await server.query(`create database "${name}"`);
  } finally {
    await server.end();
  }
  await withStore(stack.info.s3, (client) => client.send(new CreateBucketCommand({ Bucket: name })));
  const isUsable = (): Promise<boolean> =>
    useTemporal(stack.info.temporalAddress, name).then(
      () => true,
      () => false, // Each service of Temporal learns of a new namespace with a delay.
    );
  await eventually(`the namespace ${name} is usable`, isUsable);
  const databaseUrl = new URL(stack.info.databaseUrl);
  databaseUrl.pathname = name;
  return {
    ...stack,
    info: {
      ...stack.info,
      folder,
      databaseUrl: databaseUrl.href,
      temporalNamespace: name,
      s3: { ...stack.info.s3, bucket: name },
    },
    environment: {
      ...stack.environment,
      KINORA_DATABASE_URL: databaseUrl.href,
      KINORA_TEMPORAL_NAMESPACE: name,
      KINORA_S3_BUCKET: name,
    },
  };
}

/** Calls `work`, which runs a proof, and retains the logs in `folder` if the proof fails. */
export async function keepingLogs(
  proofName: string,
  { folder }: Pick<Stack['info'], 'folder'>,
  work: () => Promise<ProofOutcome>,
): Promise<ProofOutcome> {
  const logFolder = stackFolder(`failed-${proofName}`);
  rmSync(logFolder, { recursive: true, force: true });
  let hasPassed = false;
  try {
    const outcome = await work();
    hasPassed = outcome.failures.length === 0;
    return outcome;
  } finally {
    if (!hasPassed) copyLogs(folder, logFolder);
  }
}

function copyLogs(from: string, to: string): void {
  for (const file of readdirSync(from).filter((file) => /\.(log|json)$/.test(file) && file !== 'stack.json')) {
    cpSync(join(from, file), join(to, file), { recursive: true });
  }
}
