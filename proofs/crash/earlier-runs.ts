import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stacksFolder } from '@kinora/stack/parts/stack-state';
import type { History } from './history.ts';

/** The runs so far of a size that is cut into several runs. */
interface EarlierRuns {
  /** The code that they ran with: a history of other code proves nothing about this one. */
  code: string;
  histories: History[];
}

const path = join(stacksFolder, 'crash-runs.json');

/**
 * Adds the history of a run to those of earlier runs with the same code, and returns all of them. Once they are enough, the
 * next run begins anew.
 */
export function addRun(
  history: History,
  covered: readonly string[],
  areEnough: (runs: History[]) => boolean,
): History[] {
  const code = codeOf(covered);
  const earlier = readRuns();
  const isGoingOn = earlier?.code === code && !areEnough(earlier.histories);
  const histories = [...(isGoingOn ? earlier.histories : []), history];
  writeFileSync(path, JSON.stringify({ code, histories } satisfies EarlierRuns));
  return histories;
}

function readRuns(): EarlierRuns | null {
  // Only this file writes it.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as EarlierRuns) : null;
}

/** Returns a hash of the files with these prefixes as they are now; the same for all code if git is missing. */
function codeOf(prefixes: readonly string[]): string {
  const paths = prefixes.map((prefix) => `${prefix}*`);
  const git = (...words: string[]): string =>
    execFileSync('git', [...words, '--', ...paths], { cwd: join(stacksFolder, '..'), encoding: 'utf8' });
  try {
    return createHash('sha256')
      .update(git('ls-files', '--stage') + git('diff'))
      .digest('hex');
  } catch {
    return 'unknown'; // The history of half an hour must not be lost for this.
  }
}
