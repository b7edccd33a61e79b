import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@kinora/stack/parts/stack';
import { stackFolder } from '@kinora/stack/parts/stack-state';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import type { ProofOutcome } from './proof.ts';

/**
 * Runs a proof on an empty stack of its own and deletes the stack afterwards. The logs of a failed run are retained.
 */
export async function withProofStack(
  name: string,
  report: (line: string) => void,
  work: (stack: Stack) => Promise<ProofOutcome>,
): Promise<ProofOutcome> {
  const logFolder = stackFolder(`failed-${name}`);
  rmSync(logFolder, { recursive: true, force: true });
  const stack = await startTemporaryStack('prove', report);
  let hasPassed = false;
  try {
    const outcome = await work(stack);
    hasPassed = outcome.failures.length === 0;
    return outcome;
  } finally {
    if (!hasPassed) copyLogs(stack.info.folder, logFolder);
    await stack.wipe();
  }
}

function copyLogs(from: string, to: string): void {
  for (const file of readdirSync(from).filter((file) => /\.(log|json)$/.test(file) && file !== 'stack.json')) {
    cpSync(join(from, file), join(to, file), { recursive: true });
  }
}
