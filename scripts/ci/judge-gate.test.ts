import { expect, test } from 'vitest';
import { judgeGate } from './judge-gate.ts';
import { failed, passed, resultOf, skipped, tests } from './step-results.fixture.ts';

test('a test that fails and passes alone is flaky, and the change passes', () => {
  const first = resultOf(tests, passed('a.ts', 'x'), failed('b.ts', 'y'), skipped('c.ts', 'z'));
  const verdict = judgeGate([first], [resultOf(tests, passed('b.ts', 'y'))]);
  expect(verdict).toMatchObject({ passed: 2, failed: [], skipped: 1, flaky: ['b.ts: y'] });
});

test('the tests of a file whose hook failed at first are those of its repetition', () => {
  const first = resultOf(tests, skipped('b.ts', 'y'), failed('b.ts', 'the file itself'));
  const { checks, flaky } = judgeGate([first], [resultOf(tests, passed('b.ts', 'y'))]);
  expect([checks, flaky]).toEqual([[passed('b.ts', 'y')], ['b.ts: the file itself']]);
});

test('a test that fails twice has failed', () => {
  const first = resultOf(tests, failed('b.ts', 'y'));
  expect(judgeGate([first], [resultOf(tests, failed('b.ts', 'y'))]).failed).toMatchObject([
    { file: 'b.ts', name: 'y' },
  ]);
});

test('a test that fails and is not repeated has failed', () => {
  const verdict = judgeGate([resultOf(tests, failed('a.ts', 'x'), failed('b.ts', 'y'))], []);
  expect(verdict).toMatchObject({ passed: 0, failed: [{ file: 'a.ts' }, { file: 'b.ts' }], flaky: [] });
});

test('more than three flaky tests fail the run', () => {
  const names = ['1', '2', '3', '4'];
  const first = resultOf(tests, ...names.map((name) => failed('a.ts', name)));
  const { flaky, failed: failures } = judgeGate(
    [first],
    [resultOf(tests, ...names.map((name) => passed('a.ts', name)))],
  );
  expect([flaky.length, failures.map(({ name }) => name)]).toEqual([4, ['flaky tests']]);
});
