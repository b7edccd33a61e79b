import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');
const git = (...words: string[]) => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).trim();

/** Builds the first parent of HEAD once, with the packages of this checkout, and returns its folder. */
export function buildPrevious(): string {
  const commit = previousCommit();
  const output = join(repository, 'dist', `previous-${commit}`);
  if (existsSync(output)) return output;
  const checkout = `${output}.checkout`;
  rmSync(checkout, { recursive: true, force: true });
  mkdirSync(dirname(checkout), { recursive: true });
  git('worktree', 'prune');
  git('worktree', 'add', '--quiet', '--detach', checkout, commit);
  try {
    symlinkSync(join(repository, '.tools'), join(checkout, '.tools'));
    // A package that is new since then has no folder there.
    const packages = ['.', ...readdirSync(repository), 'integrations/ai-sdk'].filter(
      (name) => existsSync(join(repository, name, 'node_modules')) && existsSync(join(checkout, name)),
    );
    // Links to our own packages are relative, so those in the copy lead to the other commit.
    for (const name of packages)
      execFileSync('cp', ['-al', join(repository, name, 'node_modules'), join(checkout, name, 'node_modules')]);
    const unfinished = `${output}.unfinished`;
    execFileSync(process.execPath, ['scripts/build.ts', '--output', unfinished], {
      cwd: checkout,
      env: { ...process.env, INIT_CWD: checkout },
      stdio: 'pipe',
    });
    // The image has this file beside the programs.
    copyFileSync(join(repository, 'deploy/images/health.mjs'), join(unfinished, 'health.mjs'));
    renameSync(unfinished, output);
  } finally {
    git('worktree', 'remove', '--force', checkout);
  }
  return output;
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
