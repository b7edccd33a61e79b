import { existsSync, readdirSync } from 'node:fs';
import { isAlive } from './processes.ts';
import { findStack, type Stack, startStack } from './stack.ts';
import { stacksFolder } from './stack-state.ts';

const startedHere = new Set<string>();

/** Starts an empty stack, `<prefix>-<process id>`, which the caller wipes; the next run wipes that of a killed one. */
export async function startTemporaryStack(prefix: string, onProgress?: (line: string) => void): Promise<Stack> {
  for (const name of abandonedStacks(prefix)) await findStack(name)?.wipe();
  const name = `${prefix}-${process.pid}`;
  startedHere.add(name);
  return startStack({ name, ports: 'free', onProgress });
}

function abandonedStacks(prefix: string): string[] {
  if (!existsSync(stacksFolder)) return [];
  return readdirSync(stacksFolder).filter((name) => {
    const owner = name.startsWith(`${prefix}-`) ? Number(name.slice(prefix.length + 1)) : Number.NaN;
    // In a container every run can have the same process id, so the id alone does not show that a stack is ours.
    return Number.isInteger(owner) && !startedHere.has(name) && (owner === process.pid || !isAlive(owner));
  });
}
