import { expect, test } from 'vitest';
import { judgePromises } from './promises.ts';
import { passed, skipped } from './step-results.fixture.ts';

const promise = (...gate: string[]) => [{ about: 'Tasks', promise: 'Nothing is lost', gate, night: ['crash'] }];

test('a promise whose checks ran is held', () => {
  const checks = [
    passed('a.e2e.ts', 'an outage tasks wait'),
    passed('a.e2e.ts', 'a read of 3 is refused'),
    passed('proofs/cost', 'proofs/cost'),
  ];
  const gate = ['a.e2e.ts > an outage > tasks wait', 'a.e2e.ts > a read of %s is refused', 'proofs/cost'];
  expect(judgePromises(promise(...gate), checks)).toEqual([]);
});

test('a check that did not run or was skipped breaks its promise', () => {
  const checks = [skipped('a.e2e.ts', 'tasks wait'), passed('b.e2e.ts', 'tasks run (slowly)')];
  expect(judgePromises(promise('a.e2e.ts > tasks wait', 'b.e2e.ts > tasks run', 'proofs/cost'), checks)).toEqual([
    '“Nothing is lost”: a.e2e.ts > tasks wait was skipped',
    '“Nothing is lost”: b.e2e.ts > tasks run did not run',
    '“Nothing is lost”: proofs/cost did not run',
  ]);
});
