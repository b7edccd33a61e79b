import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listNightlyParts } from '../scripts/ci/nightly-parts.ts';
import { type Promised, readPromises } from '../scripts/ci/promises.ts';
import { readText, repository } from './project-files.fixture.ts';
import { isTitleIn } from './test-titles.fixture.ts';

// A promise that no test holds is a hope, and a reference to a test goes stale when the test is renamed. The gate itself
// fails if a check that a promise names for the gate did not run or was skipped: scripts/ci/promises.ts.

const isTest = /\.(?:test|e2e|console|package|static)\.ts$/;

test('every promise names checks of the gate, parts of the nightly run and tests that exist', () => {
  const parts = listNightlyParts().map(({ name }) => name);
  expect(readPromises(repository).flatMap((promise) => problemsOf(promise, parts))).toEqual([]);
});

test('every promise is made once, beside the others about its subject', () => {
  const promises = readPromises(repository);
  expect(new Set(promises.map(({ promise }) => promise)).size).toBe(promises.length);
  const subjects = promises.map(({ about }) => about);
  const beginnings = subjects.filter((about, index) => about !== subjects[index - 1]);
  expect(beginnings).toEqual([...new Set(subjects)]);
});

test('a promise without a check, or with one that does not exist or may fail, is found', () => {
  const itself = 'checks/promised-checks.test.ts > every promise is made';
  const promise = { about: 'A', promise: 'a', gate: [itself, 'proofs/none', 'e2e/none.e2e.ts > a'], night: ['none'] };
  expect(problemsOf(promise, ['tests'])).toEqual([
    `a: ${itself}`,
    'a: proofs/none',
    'a: e2e/none.e2e.ts > a',
    'a: none',
  ]);
  const problems = (fields: Partial<Promised>) => problemsOf({ about: 'A', promise: 'a', ...fields }, []);
  expect(problems({ gate: [], night: [] })).toEqual(['a: no check in the gate', 'a: not at night']);
  expect(problems({ gate: ['proofs/cost'] })).toEqual(['a: not at night']);
  expect(problems({})).toEqual(['a: no test']);
  expect(problems({ night: [] })).toEqual(['a: no test', 'a: not at night']);
  expect(problems({ tests: [] })).toEqual(['a: no test']);
  const unknown = [
    itself,
    'checks/promised-checks.test.ts',
    'README.md > Kinora',
    'e2e/nowhere.e2e.ts > a',
    'proofs/cost > a',
    'proofs/cost',
    'proofs/none > a',
  ];
  expect(problems({ tests: unknown })).toEqual(unknown.map((named) => `a: ${named}`));
  const known = [
    'checks/promised-checks.test.ts > every promise is made once, beside the others about its subject',
    'proofs/freeze > A frozen or vanished process, part or host costs time, never a task.',
  ];
  expect(problems({ tests: known })).toEqual([]);
  expect(problems({ promise: 'Held. Not held', tests: known })).toEqual(['Held. Not held: not one sentence']);
  expect(problems({ promise: 'Held.', tests: known })).toEqual(['Held.: not one sentence']);
});

test('a title counts only if its test must pass', () => {
  expect(
    ['test(', 'it.each([1])(', "test.skipIf(isSlow)('b'); it(\n  "].map((call) => isTitleIn(`${call}'a'`, 'a')),
  ).toEqual([true, true, true]);
  expect(['test.fails(', 'it.skip(', 'it.todo(', '// '].map((call) => isTitleIn(`${call}'a'`, 'a'))).toEqual(
    Array(4).fill(false),
  );
});

function problemsOf({ promise, gate, night, tests }: Promised, parts: readonly string[]): string[] {
  const problems = [
    ...(/\.(?:\s|$)/.test(promise) ? ['not one sentence'] : []),
    ...(gate?.length === 0 ? ['no check in the gate'] : []),
    ...(gate ?? []).filter((check) => !isInGate(check)),
    ...(gate === undefined && (tests ?? []).length === 0 ? ['no test'] : []),
    ...(tests ?? []).filter((named) => !isTestThatExists(named)),
    ...((gate !== undefined && night === undefined) || night?.length === 0 ? ['not at night'] : []),
    ...(night ?? []).filter((part) => !parts.includes(part)),
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

/** Whether the name is that of a test or a proof, with a title, and both exist. */
function isTestThatExists(named: string): boolean {
  const [path = '', ...titles] = named.split(' > ');
  const file = path.startsWith('proofs/') ? `${path}/${path.split('/')[1]}.ts` : path;
  if (titles.length === 0 || !existsSync(join(repository, file))) return false;
  if (file === path && !isTest.test(file)) return false;
  const source = readText(file);
  return titles.every((title) => isTitleIn(source, title));
}
