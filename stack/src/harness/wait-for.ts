import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted } from './interruption.ts';

/** Asks until the answer is yes. */
export async function waitFor(isSo: () => Promise<boolean>, patienceSeconds = 120): Promise<void> {
  const deadline = Date.now() + patienceSeconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`it did not come to pass within ${patienceSeconds} s`);
    await sleep(100, undefined, { signal: interrupted });
  }
}
