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

/** Adds a run to earlier runs of the same code and returns all. Once they are enough, the next one begins anew. */
export function addRun(history: History, areEnough: (runs: History[]) => boolean): History[] {
  const code = codeOf();
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

/** The files that a run depends on. */
const paths = ['animatic', 'boxes', 'package-lock.json', 'proofs', 'server', 'stack'];

/** Returns a hash of these files as they are now; the same for all code if git is missing. */
function codeOf(): string {
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
