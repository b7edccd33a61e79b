import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Operator } from '../domain/actor.ts';

/** Returns the person who runs a command. */
export function operatorOf(command: Command): Operator {
  const names = [];
  for (let part: Command | null = command; part?.parent; part = part.parent) names.unshift(part.name());
  return { operator: accountName(), command: names.join(' ') };
}

/** A container may run under an id that has no account. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
