import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Baseline, unexplained } from './baseline.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Returns the baseline of the first parent of HEAD; empty if it had none, or if the clone has no parent. */
function earlierBaseline(): Baseline {
  try {
    const text = execFileSync('git', ['show', 'HEAD^1:bench/baseline.json'], { cwd: root, stdio: 'pipe' });
    return JSON.parse(text.toString()) as Baseline;
  } catch {
    return {};
  }
}

test('docs/performance.md explains every figure of the baseline that got worse', () => {
  const now = JSON.parse(read('bench/baseline.json')) as Baseline;
  expect(unexplained(earlierBaseline(), now, read('docs/performance.md'))).toEqual([]);
});

test('a figure that got worse needs a sentence with its name and its new value', () => {
  const before: Baseline = { quick: { read: { 'read queued: CPU ratio': 10 } } };
  const worse: Baseline = { quick: { read: { 'read queued: CPU ratio': 12 } } };
  const sentence = '`read queued: CPU ratio` is 12 since reads check a quota.';
  expect(unexplained(before, worse, '')).toEqual(['quick read: read queued: CPU ratio went from 10 to 12']);
  expect(unexplained(before, worse, sentence)).toEqual([]);
  expect(unexplained(worse, before, '')).toEqual([]);
});
