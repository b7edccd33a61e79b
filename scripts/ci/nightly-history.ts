import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PartResult } from './nightly-report.ts';

/** Outlives a clone, so that a run can be compared with those before. */
const path = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kinora/nightly.jsonl');

/** Returns the results of earlier nights, oldest first. */
export function readHistory(): PartResult[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as PartResult);
}

export function addToHistory(result: PartResult): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${JSON.stringify(result)}\n`);
}
