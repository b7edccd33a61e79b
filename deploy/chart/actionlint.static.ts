import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

// The workflows of GitHub. Nothing runs them here; actionlint checks their syntax, expressions and inputs of actions.

const root = join(import.meta.dirname, '../..');

/** Returns what actionlint says about a workflow. */
async function lint(text: string): Promise<string> {
  const running = promisify(execFile)('actionlint', ['-no-color', '-'], { cwd: root });
  running.child.stdin?.end(text);
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  return stdout;
}

it.each(['ci.yml', 'nightly.yml', 'release.yml'])('actionlint finds nothing wrong with %s', async (name) => {
  const text = await readFile(join(root, '.github/workflows', name), 'utf8');
  expect(await lint(text)).toBe('');
  expect(await lint(text.replace('runs-on:', 'run-on:'))).toContain('unexpected key "run-on"');
});
