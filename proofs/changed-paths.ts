import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Returns the paths that differ from a commit, committed or not; null if there is none or git does not know it. */
export function changedPaths(base: string | null): string[] | null {
  if (!base) return null;
  const git = (...words: string[]): string[] =>
    execFileSync('git', words, { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  try {
    // Rename detection is off, because a file that left a folder is a change in that folder.
    return [
      ...git('diff', '--name-only', '--no-renames', base, '--'),
      ...git('ls-files', '--others', '--exclude-standard'),
    ];
  } catch {
    return null; // With an unknown base, everything counts as changed.
  }
}
