import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { expect, test } from 'vitest';
import { readResults } from './read-results.ts';
import { proofs, tests } from './step-results.fixture.ts';

const folder = testFolder();
let files = 0;
function written(content: unknown): string {
  const path = join(folder, `${(files += 1)}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
}
const good = { status: 0, log: '' };
const bad = { status: 1, log: 'the last lines' };
const vitestFile = (status: string, ...assertionResults: object[]) => ({
  testResults: [{ name: '/clone/e2e/a.e2e.ts', status, message: 'a hook failed', assertionResults }],
});
const test1 = (status: string) => ({ fullName: 'group title', status, failureMessages: ['expected 1'] });

test('the tests of Vitest are read with their files, as seen from the root', () => {
  const { checks } = readResults(
    tests,
    written(vitestFile('failed', test1('failed'), test1('pending'))),
    bad,
    '/clone',
  );
  expect(checks).toEqual([
    { file: 'e2e/a.e2e.ts', name: 'group title', status: 'failed', message: 'expected 1' },
    { file: 'e2e/a.e2e.ts', name: 'group title', status: 'skipped', message: '' },
  ]);
});

test('a file whose hook failed counts as a failure of the file', () => {
  const { checks } = readResults(tests, written(vitestFile('failed', test1('pending'))), bad, '/clone');
  expect(checks.at(-1)).toMatchObject({ file: 'e2e/a.e2e.ts', status: 'failed', message: 'a hook failed' });
});

test('a step that fails without a failed test, or runs no test, or writes no results, has failed', () => {
  const fails = { file: tests.name, status: 'failed' };
  expect(readResults(tests, written(vitestFile('passed', test1('passed'))), bad, '/clone').checks.at(-1)).toMatchObject(
    fails,
  );
  expect(readResults(tests, written({ testResults: [] }), good, '/clone').checks).toMatchObject([fails]);
  expect(readResults(tests, join(folder, 'none.json'), good, '/clone').checks).toMatchObject([fails]);
});

test('our own runners give checks and figures', () => {
  const results = [
    { name: 'proofs/cost', passed: true, seconds: 1, objections: [], figures: { commits: 5 } },
    { name: 'proofs/fuzz', passed: false, seconds: 1, objections: ['a', 'b'] },
  ];
  expect(readResults(proofs, written(results), bad, '/clone')).toEqual({
    checks: [
      { file: 'proofs/cost', name: 'proofs/cost', status: 'passed', message: '' },
      { file: 'proofs/fuzz', name: 'proofs/fuzz', status: 'failed', message: 'a\nb' },
    ],
    figures: { 'proofs/cost': { commits: 5 } },
  });
});

test('a failed test is shown with what the log says of it, but without its source', () => {
  const log = ' ✓ a\n FAIL  |e2e| e2e/a.e2e.ts > group > title\nexpected 1\n 12|  expect(source)\n   |   ^\nto be 2';
  const report = written(vitestFile('failed', test1('failed')));
  expect(readResults(tests, report, { status: 1, log }, '/clone').checks[0]?.message).toBe('expected 1\nto be 2');
});

test.each(['error during close Error: the reconciler repaired', 'Vitest caught 1 unhandled error during the test run'])(
  'a failure of the whole run is not lost beside a failed test: %s',
  (line) => {
    const end = { status: 1, log: `before\n${line}\nafter` };
    const { checks } = readResults(tests, written(vitestFile('failed', test1('failed'))), end, '/clone');
    expect(checks.map(({ file }) => file)).toEqual(['e2e/a.e2e.ts', tests.name]);
  },
);

test('results that were cut off count as none', () => {
  const path = written({});
  writeFileSync(path, '{"testRes');
  expect(readResults(tests, path, bad, '/clone').checks).toMatchObject([{ file: tests.name, status: 'failed' }]);
});
