import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listNightlyParts } from '../scripts/ci/nightly-parts.ts';
import { type Promised, readPromises } from '../scripts/ci/promises.ts';
import { readText, repository } from './project-files.fixture.ts';
import { isTitleIn } from './test-titles.fixture.ts';

// The gate itself fails if a check of a promise did not run or was skipped: scripts/ci/promises.ts.

test('every promise names checks of the gate and parts of the nightly run that exist', () => {
  const parts = listNightlyParts().map(({ name }) => name);
  expect(readPromises(repository).flatMap((promise) => problemsOf(promise, parts))).toEqual([]);
});

test('a promise without a check, or with one that does not exist, is found', () => {
  const itself = 'checks/promised-checks.test.ts > every promise names checks of the gate';
  const promise = { promise: 'a', gate: [itself, 'proofs/none', 'e2e/none.e2e.ts > a'], night: ['none'] };
  expect(problemsOf(promise, ['tests'])).toEqual([
    `a: ${itself}`,
    'a: proofs/none',
    'a: e2e/none.e2e.ts > a',
    'a: none',
  ]);
  expect(problemsOf({ promise: 'a', gate: [], night: [] }, [])).toEqual(['a: no check in the gate', 'a: not at night']);
});

function problemsOf({ promise, gate, night }: Promised, parts: readonly string[]): string[] {
  const problems = [
    ...(gate.length === 0 ? ['no check in the gate'] : []),
    ...gate.filter((check) => !isInGate(check)),
    ...(night.length === 0 ? ['not at night'] : []),
    ...night.filter((part) => !parts.includes(part)),
  ];
  return problems.map((problem) => `${promise}: ${problem}`);
}

function isInGate(check: string): boolean {
  const [path = '', ...titles] = check.split(' > ');
  if (path.startsWith('proofs/')) {
    const file = `${path}/${path.split('/')[1]}.ts`;
    return existsSync(join(repository, file)) && /\binGate: '/.test(readText(file));
  }
  if (path.startsWith('simulation/')) return existsSync(join(repository, `${path}.ts`));
  if (!existsSync(join(repository, path))) return false;
  const source = readText(path);
  return titles.every((title) => isTitleIn(source, title));
}
