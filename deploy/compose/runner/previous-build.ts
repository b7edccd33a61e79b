import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { buildCommit } from '@kinora/stack/harness/build-commit';

const repository = join(import.meta.dirname, '../../..');
const git = (...words: string[]) => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).trim();

/** Builds the first parent of HEAD, and returns its folder. */
export function buildPrevious(): string {
  return buildCommit(previousCommit());
}

/** Returns whether the earlier version knows a variable: it refuses settings that came after it. */
export function isKnownToPrevious(name: string): boolean {
  known ??= new Set(git('show', `${previousCommit()}:.env.example`).match(/\bKINORA_[A-Z0-9_]+(?==)/g));
  return !name.startsWith('KINORA_') || known.has(name);
}
let known: ReadonlySet<string> | null = null;

/** Returns the compose file of the earlier version. */
export function previousComposeFile(): string {
  return git('show', `${previousCommit()}:deploy/compose/compose.yaml`);
}

/** Whether this clone has the earlier version: a shallow clone may end at HEAD. */
export function hasPrevious(): boolean {
  try {
    previousCommit();
    return true;
  } catch {
    return false;
  }
}

function previousCommit(): string {
  return execFileSync('git', ['rev-parse', '--quiet', '--verify', 'HEAD^1^{commit}'], {
    cwd: repository,
    encoding: 'utf8',
  }).trim();
}
