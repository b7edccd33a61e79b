import { describe, expect, test } from 'vitest';
import { goodEvidence, submitOf } from './fault-evidence.fixture.ts';
import type { CallerTask, FaultEvidence } from './fault-evidence.ts';
import { judgeFaults } from './judge-faults.ts';

const planned = { tasks: 10, faults: ['a black hole'] };

const judge = (change: (evidence: FaultEvidence) => void) => {
  const evidence = goodEvidence('a black hole');
  change(evidence);
  return judgeFaults(evidence, planned);
};
const changeTask = ({ tasks }: FaultEvidence, index: number, change: Partial<CallerTask>): void => {
  Object.assign(tasks[index] ?? {}, change);
};
const read = (...statuses: [status: string, at: number][]) => ({
  statuses: statuses.map(([status, at]) => ({ status, at })),
});

describe('the judge of faults', () => {
  test('accepts a run that kept the promise, and counts the recovery point', () => {
    const { figures, failures } = judge(() => undefined);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ tasks: 10, completed: 9, recoveryPointTasks: 1, slowestRecoverySeconds: 29.9 });
  });

  test('accepts a task that was completed again because its first completion was rolled back', () => {
    const { figures, failures } = judge((evidence) => {
      changeTask(evidence, 4, read(['completed', 5500], ['in_progress', 8000], ['completed', 9000]));
      evidence.submits.push(submitOf('t4', 2, 8500));
    });
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ completedTwice: 1, rendersRepeated: 1, submitsRepeatedAfterRollback: 0 });
  });

  test('accepts a second submit of an attempt whose first one was rolled back', () => {
    const { figures, failures } = judge(({ submits }) => submits.push(submitOf('t6', 1, 8000)));
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ submitsRepeatedAfterRollback: 1 });
  });

  test.each<[string, (evidence: FaultEvidence) => void, RegExp]>([
    ['a task that is missing', (evidence) => changeTask(evidence, 2, read(['missing', 9000])), /t2 was lost/],
    ['a task that is missing without a rollback', (evidence) => void evidence.rolledBack.pop(), /t5 was lost/],
    [
      'a task that was created after the rollback',
      (evidence) => changeTask(evidence, 8, read(['missing', 9000])),
      /t8/,
    ],
    ['a task that failed', (evidence) => changeTask(evidence, 2, read(['failed', 9000])), /t2 ended as failed/],
    ['a task that never ended', (evidence) => changeTask(evidence, 2, read(['queued', 9000])), /t2 ended as queued/],
    ['a task that nobody could read', (evidence) => changeTask(evidence, 2, read()), /t2 ended as unread/],
    [
      'a completed task that was reopened without a rollback',
      (evidence) => changeTask(evidence, 2, read(['completed', 3000], ['in_progress', 8000], ['completed', 9000])),
      /t2 was completed, and then something else/,
    ],
    [
      'a completed task that failed',
      (evidence) => changeTask(evidence, 6, read(['completed', 6500], ['failed', 9000])),
      /t6/,
    ],
    [
      'a completion without an event',
      ({ events }) => void events.splice(3, 1),
      /t3 is completed, but there is no event/,
    ],
    [
      'a video that cannot be downloaded',
      (evidence) => changeTask(evidence, 3, { videoSha256: null }),
      /t3.*downloaded/,
    ],
    [
      'a video of another task',
      (evidence) => changeTask(evidence, 3, { videoSha256: 'sha of t2' }),
      /t2 and t3 have the same video/,
    ],
    [
      'a second submit of an attempt',
      ({ submits }) => void submits.push(submitOf('t2', 1, 2500)),
      /t2-1 was submitted/,
    ],
    [
      'a second submit after a rollback of an attempt from before it',
      ({ submits }) => void submits.push(submitOf('t2', 1, 9000)),
      /t2-1 was submitted twice/,
    ],
    ['too few tasks', ({ tasks }) => void tasks.pop(), /only 9 of 10 tasks/],
    ['a fault that did not happen', ({ probes }) => void probes.pop(), /was not caused: a black hole/],
    [
      'an endpoint that never recovered',
      ({ probes }) => void Object.assign(probes[0]?.secondsOf ?? {}, { 'north-2': null }),
      /north-2 first completed a new task never/,
    ],
    [
      'an endpoint that recovered late',
      ({ probes }) => void Object.assign(probes[0]?.secondsOf ?? {}, { 'north-2': 30.1 }),
      /north-2 first completed a new task after 30.1 s/,
    ],
    [
      'slow reads',
      ({ probes }) => void Object.assign(probes[0] ?? {}, { readsAfterSeconds: null }),
      /reads were fast again never/,
    ],
    ['a reconciler that stopped', (evidence) => void evidence.roundsEndedAt.pop(), /no round of the reconciler ended/],
  ])('rejects %s', (_, change, objection) => {
    const { failures } = judge(change);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(objection);
  });
});
