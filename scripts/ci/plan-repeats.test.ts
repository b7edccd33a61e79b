import { expect, test } from 'vitest';
import { planRepeats, repeatRun } from './plan-repeats.ts';
import { failed, passed, proofs, resultOf, statics, tests } from './step-results.fixture.ts';

const notSeeded = () => false;
const filesOf = (...results: ReturnType<typeof resultOf>[]) => planRepeats(results, notSeeded).map(({ file }) => file);

test('the file of a failed test is repeated once, however many of its tests failed', () => {
  expect(filesOf(resultOf(tests, passed('a.ts', 'x'), failed('b.ts', 'y'), failed('b.ts', 'z')))).toEqual(['b.ts']);
});

test('a proof is repeated by itself', () => {
  const [repeat] = planRepeats([resultOf(proofs, failed('proofs/streams', 'proofs/streams'))], notSeeded);
  expect(repeat && repeatRun(repeat).command).toEqual(['node', 'proofs/prove.ts', 'streams', '--tier', 'gate']);
});

test('nothing is repeated if more tests failed than may be flaky', () => {
  const names = ['a', 'b', 'c', 'd'];
  expect(filesOf(resultOf(tests, ...names.map((name) => failed(`${name}.ts`, name))))).toEqual([]);
});

test('nothing is repeated if something deterministic failed: the run has failed already', () => {
  const flaky = resultOf(tests, failed('a.ts', 'x'));
  expect(filesOf(flaky, resultOf(statics, failed('types', 'types')))).toEqual([]);
  expect(planRepeats([flaky], (file) => file === 'a.ts')).toEqual([]);
  // The step itself failed, not one of its files: a check after all tests, or a crash.
  expect(filesOf(flaky, resultOf(tests, failed(tests.name, tests.name)))).toEqual([]);
});
