import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const repository = join(import.meta.dirname, '..');

/** Returns the paths of the repository's files, new ones included. With patterns, only those that match one of them. */
export function projectFiles(...patterns: readonly string[]): string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  const listed = execFileSync('git', words, { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  return listed.filter((path) => path !== '' && existsSync(join(repository, path)));
}

/** Reads a file of the repository. */
export function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** Expands `{a,b}/*.ts` to `a/*.ts` and `b/*.ts`, so that one alternative cannot hide another that matches nothing. */
export function expandBraces(pattern: string): string[] {
  const [whole, choices] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern];
  return choices.split(',').flatMap((choice) => expandBraces(pattern.replace(whole, choice)));
}
