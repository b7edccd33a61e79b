import { expect, test } from 'vitest';
import { goodEvidence } from '../faults/fault-evidence.fixture.ts';
import { judgeFailover } from './judge-failover.ts';

const planned = { tasks: 10, faults: ['a failover'] };

test('the judge of failovers accepts a failover that lost commits, and prints the recovery point', () => {
  const { figures, failures } = judgeFailover(
    { ...goodEvidence('a failover'), lostBytes: 4711, takenAway: 0 },
    planned,
  );
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({
    recoveryPointMilliseconds: 2000,
    recoveryPointTasks: 1,
    lostBytes: 4711,
    takenAway: 0,
  });
});

test('the judge of failovers rejects a failover to a replica that lacked nothing', () => {
  const { failures } = judgeFailover({ ...goodEvidence('a failover'), lostBytes: 0, takenAway: 0 }, planned);
  expect(failures).toEqual(['the promoted replica lacked nothing, so the failover proved nothing']);
});

test('the judge of failovers rejects what the judge of faults rejects', () => {
  const evidence = { ...goodEvidence('a failover'), lostBytes: 4711, takenAway: 0, rolledBack: [] };
  expect(judgeFailover(evidence, planned).failures).toEqual(['t5 was lost']);
});

test('the judge of failovers rejects that work was taken from workers that lived', () => {
  const { failures } = judgeFailover({ ...goodEvidence('a failover'), lostBytes: 4711, takenAway: 2 }, planned);
  expect(failures).toEqual(['2 attempts were taken from workers that lived: Postgres was away, not they']);
});
