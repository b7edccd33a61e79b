import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@kinora/stack/parts/stack';
import { stackFolder } from '@kinora/stack/parts/stack-state';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import type { ProofOutcome } from './proof.ts';

/** Runs a proof on an empty stack of its own. What it ran on is gone afterwards; of a failed run the logs are kept. */
export async function withProofStack(
  name: string,
  report: (line: string) => void,
  work: (stack: Stack) => Promise<ProofOutcome>,
): Promise<ProofOutcome> {
  const kept = stackFolder(`failed-${name}`);
  rmSync(kept, { recursive: true, force: true });
  const stack = await startTemporaryStack('prove', report);
  let isKept = false;
  try {
    const outcome = await work(stack);
    isKept = outcome.failures.length === 0;
    return outcome;
  } finally {
    if (!isKept) keepLogs(stack.info.folder, kept);
    await stack.wipe();
  }
}

function keepLogs(from: string, to: string): void {
  for (const file of readdirSync(from).filter((file) => /\.(log|json)$/.test(file) && file !== 'stack.json')) {
    cpSync(join(from, file), join(to, file), { recursive: true });
  }
}
