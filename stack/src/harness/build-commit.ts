import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');
const git = (...words: string[]) => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).trim();

/** Builds a commit for production, once, with the packages of its own lockfile, and returns the folder of the build. */
export function buildCommit(commit: string, { patch }: { patch?: string } = {}): string {
  const hash =
    patch === undefined ? '' : `-${createHash('sha256').update(readFileSync(patch)).digest('hex').slice(0, 8)}`;
  const output = join(repository, 'dist', `commit-${git('rev-parse', commit)}${hash}`);
  if (existsSync(output)) return output;
  const checkout = `${output}.checkout`;
  rmSync(checkout, { recursive: true, force: true });
  mkdirSync(dirname(checkout), { recursive: true });
  git('worktree', 'prune');
  git('worktree', 'add', '--quiet', '--detach', checkout, commit);
  const run = (command: string, ...words: string[]) =>
    execFileSync(command, words, { cwd: checkout, env: { ...process.env, INIT_CWD: checkout }, stdio: 'pipe' });
  try {
    if (patch !== undefined) run('git', 'apply', patch);
    symlinkSync(join(repository, '.tools'), join(checkout, '.tools'));
    addPackages(checkout, run);
    const unfinished = `${output}.unfinished`;
    run(process.execPath, 'scripts/build.ts', '--output', unfinished);
    // The image has this file beside the programs.
    copyFileSync(join(checkout, 'deploy/images/health.mjs'), join(unfinished, 'health.mjs'));
    renameSync(unfinished, output);
  } finally {
    git('worktree', 'remove', '--force', checkout);
  }
  return output;
}

/** Installs the packages of a checkout; those of this clone, if the lockfiles are the same. */
function addPackages(checkout: string, run: (command: string, ...words: string[]) => void): void {
  const lockOf = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (lockOf(checkout) !== lockOf(repository)) return run('npm', 'ci', '--no-audit', '--no-fund');
  // Links to our own packages are relative, so those in the copy lead to the other commit.
  for (const name of ['.', ...readdirSync(repository), 'integrations/ai-sdk'])
    if (existsSync(join(repository, name, 'node_modules')) && existsSync(join(checkout, name)))
      run('cp', '-al', join(repository, name, 'node_modules'), join(checkout, name, 'node_modules'));
}
