import type { TestProject } from 'vitest/node';
import { findStack, startStack } from '../parts/stack.ts';
import { partNames } from '../parts/stack-state.ts';
import { startTemporaryStack } from '../parts/temporary-stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The KINORA_… variables of the running stack; its database user may create databases. */
    stackEnvironment: Record<string, string>;
  }
}

/**
 * Vitest's global setup. Tests start from nothing, on a stack of their own that is gone afterwards. One started by hand
 * (`scripts/stack up --name test`) is used instead and left running, which saves its start while one works on a test.
 */
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
