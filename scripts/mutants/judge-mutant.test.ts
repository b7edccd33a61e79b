import { expect, test } from 'vitest';
import { failed, passed, skipped } from '../ci/step-results.fixture.ts';
import { judgeMutant } from './judge-mutant.ts';

const good = [passed('a.ts', 'x'), skipped('a.ts', 'y')];
const failing = (message: string) => [{ ...failed('a.ts', 'x'), message }];
const judge = (without: typeof good, withFault: typeof good) =>
  judgeMutant({ because: /leases: 1/ }, without, withFault);

test('a fault is found if its check passes without it and fails with it for the given reason', () => {
  expect(judge(good, failing('expected leases: 1 to be 0'))).toBeNull();
});

test.each([
  ['did not run', [skipped('a.ts', 'x')], good],
  ['fails without the fault', failing('leases: 1'), failing('leases: 1')],
  ['passes with the fault', good, good],
  ['another reason', good, failing('leases: 1, but the test timed out in 600000ms')],
  ['another reason', good, failing('SyntaxError: leases: 1')],
  ['no failure says', good, failing('expected 1 to be 2')],
])('a fault that is not found as it should be is reported: %s', (reason, without, withFault) => {
  expect(judge(without, withFault)).toContain(reason);
});
