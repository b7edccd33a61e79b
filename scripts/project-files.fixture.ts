import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '..');

/** Returns the paths of the repository's files, new ones included. With patterns, only those that match one of them. */
export function projectFiles(...patterns: readonly string[]): string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  const listed = execFileSync('git', words, { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  return listed.filter((path) => path !== '' && existsSync(join(repository, path)));
}
