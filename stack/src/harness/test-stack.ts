import type { TestProject } from 'vitest/node';
import { findStack, startStack } from '../parts/stack.ts';
import { partNames } from '../parts/stack-state.ts';
import { startTemporaryStack } from '../parts/temporary-stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The KINORA_… variables of the running stack. Its database user may create databases. */
    stackEnvironment: Record<string, string>;
  }
}

/** Vitest's global setup: an empty stack, deleted afterwards, or a running one (`scripts/stack up --name test`). */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const byHand = findStack('test');
  if (byHand && partNames.some((part) => byHand.pid(part) !== null)) {
    const adopted = await startStack({ name: 'test' });
    project.provide('stackEnvironment', adopted.environment);
    return undefined;
  }
  const stack = await startTemporaryStack('test');
  project.provide('stackEnvironment', stack.environment);
  return () => stack.wipe();
}
