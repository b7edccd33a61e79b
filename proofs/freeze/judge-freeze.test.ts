import { describe, expect, test } from 'vitest';
import { set } from '../set.fixture.ts';
import { type FreezeEvidence, type Target, targets } from './freeze-evidence.ts';
import { judgeFreeze, type Planned } from './judge-freeze.ts';

const each = (count: number): Record<Target, number> =>
  // Every target is a key.
  Object.fromEntries(targets.map((target) => [target, count])) as Record<Target, number>;
const planned: Planned = { tasks: 4, freezesOf: each(1), longFreezesOf: each(1), longSeconds: 40, vanishes: 1 };

const inOrder = { probeSeconds: { 'north-1': 4, 'north-2': 5 }, readSeconds: 1, roundSeconds: 6 };
const filesOf = (taskId: string): string[] => [`2026-11-16/${taskId}/a.mp4`, `2026-11-16/${taskId}/b.jpg`];

function task(taskId: string, picture: string): FreezeEvidence['tasks'][number] {
  const objectKeys = filesOf(taskId);
  return { taskId, picture, cancel: 'none', status: 'completed', code: null, sha256: picture, objectKeys };
}

/** Kept the promise: worker 1 vanished, worker 2 took its task over, all froze for 40 s, worker 3 took over from it. */
function goodRun(): FreezeEvidence {
  const tasks: FreezeEvidence['tasks'] = [
    task('task_one', 'hill'),
    task('task_two', 'lake'),
    task('task_three', 'hill'),
    task('task_four', 'lake'),
    { ...task('task_five', 'hill'), cancel: 'confirmed', status: 'cancelled', sha256: null, objectKeys: [] },
  ];
  return {
    faults: [
      { kind: 'vanish', target: 'worker', pid: 1, from: 1_000, until: 1_100 },
      ...targets.map((target) => ({ kind: 'freeze' as const, target, pid: 2, from: 50_000, until: 90_000 })),
    ],
    checks: [
      { at: 20_000, ...inOrder },
      { at: 70_000, ...inOrder },
      { at: 91_000, ...inOrder },
    ],
    tasks,
    attempts: ['task_one', 'task_two', 'task_three', 'task_four'].map((taskId) => ({
      taskId,
      attempt: 1,
      outcome: 'completed',
    })),
    holders: [
      { at: 500, pid: 1, taskId: 'task_one', attempt: 1, isTakeover: false },
      { at: 17_000, pid: 2, taskId: 'task_one', attempt: 1, isTakeover: true },
      { at: 49_000, pid: 2, taskId: 'task_two', attempt: 1, isTakeover: false },
      { at: 66_000, pid: 3, taskId: 'task_two', attempt: 1, isTakeover: true },
    ],
    submits: ['task_one', 'task_two', 'task_three', 'task_four'].map((taskId) => ({
      jobId: `${taskId}-1`,
      endpoint: 'north-1',
    })),
    strangers: [],
    objectsSeen: filesOf('task_one'),
    objectsLeft: tasks.flatMap(({ objectKeys }) => objectKeys),
  };
}

describe('the judge of frozen processes', () => {
  test('accepts a run that kept the promise', () => {
    expect(judgeFreeze(goodRun(), planned).failures).toEqual([]);
  });

  test.each<[string, (evidence: FreezeEvidence) => void, RegExp]>([
    ['a lost task', ({ tasks }) => set(tasks[0], { status: null }), /task_one was accepted and is lost/],
    [
      'a task that failed',
      ({ tasks }) => set(tasks[0], { status: 'failed', code: 'engine_lost' }),
      /task_one ended as failed engine_lost, but should be completed/,
    ],
    [
      'a task that never ends',
      ({ tasks }) => set(tasks[0], { status: 'in_progress' }),
      /task_one ended as in_progress/,
    ],
    ['a cancel that did not last', ({ tasks }) => set(tasks[4], { status: 'completed' }), /should be cancelled/],
    ['a cancel nobody asked for', ({ tasks }) => set(tasks[1], { status: 'cancelled' }), /task_two ended as cancelled/],
    [
      'a cancel without a response after which the task failed',
      ({ tasks }) => set(tasks[4], { cancel: 'unknown', status: 'failed', code: 'engine_lost' }),
      /task_five ended as failed engine_lost, but should be completed or cancelled/,
    ],
    [
      'a cancel without a response after which the task is lost',
      ({ tasks }) => set(tasks[4], { cancel: 'unknown', status: null }),
      /task_five was accepted and is lost/,
    ],
    ['a second row of a task', ({ strangers }) => void strangers.push('task_nine'), /task_nine has a row/],
    ['a video of another task', ({ tasks }) => set(tasks[2], { sha256: 'lake' }), /share one video/],
    [
      'a video that no other run rendered',
      ({ tasks }) => set(tasks[2], { sha256: 'sea' }),
      /task_three has a video other/,
    ],
    [
      'a job submitted twice',
      ({ submits }) => void submits.push({ jobId: 'task_one-1', endpoint: 'north-2' }),
      /task_one-1 was submitted 2 times/,
    ],
    [
      'a job without an attempt',
      ({ submits }) => void submits.push({ jobId: 'task_one-2', endpoint: 'north-2' }),
      /task_one-2 was submitted without an attempt/,
    ],
    ['a deleted file of a task', ({ objectsLeft }) => void objectsLeft.pop(), /task_four\/b.jpg was deleted/],
    [
      'a deleted file that no row names',
      ({ objectsSeen }) => void objectsSeen.push('2026-11-16/task_two/c.mp4'),
      /task_two\/c.mp4 was deleted/,
    ],
    [
      'an endpoint that does not come back',
      ({ checks }) => set(checks[2], { probeSeconds: { 'north-1': 4, 'north-2': null } }),
      /north-2 completed no new task within 30 s after .*the freeze of postgres for 40 s/,
    ],
    [
      'an endpoint that comes back late',
      ({ checks }) => set(checks[0], { probeSeconds: { 'north-1': 31, 'north-2': 4 } }),
      /north-1 completed no new task within 30 s after the loss of a worker's host/,
    ],
    ['a check without endpoints', ({ checks }) => set(checks[2], { probeSeconds: {} }), /no endpoint was probed after/],
    [
      'slow reads',
      ({ checks }) => set(checks[2], { readSeconds: null }),
      /did not serve 100 reads in a row within 1 s each/,
    ],
    [
      'a reconciler that stands still while its relay is frozen',
      ({ checks }) => set(checks[1], { roundSeconds: null }),
      /no reconciler round ended within 30 s during .*the freeze of relay/,
    ],
    ['a fault without a check', ({ checks }) => void checks.pop(), /nothing was checked after .*the freeze of s3/],
    [
      'a frozen worker without a check',
      ({ checks }) => void checks.splice(1, 1),
      /nothing was checked during the freeze of worker/,
    ],
    [
      'a vanished worker whose tasks nobody took over',
      ({ holders }) => set(holders[1], { pid: 1 }),
      /no worker took over after the loss of a worker's host/,
    ],
    [
      'a frozen worker that took its own task over',
      ({ holders }) => set(holders[3], { pid: 2 }),
      /no worker took over after the freeze of worker/,
    ],
    [
      'a takeover after the worker went on',
      ({ holders }) => set(holders[3], { at: 90_500 }),
      /no worker took over after the freeze of worker/,
    ],
    [
      'a takeover from another worker',
      ({ holders }) => set(holders[2], { pid: 4 }),
      /no worker took over after the freeze of worker/,
    ],
    [
      'a takeover that took longer than 18 s',
      ({ holders }) => set(holders[1], { at: 20_000 }),
      /takeovers took 19 s; 18 are promised/,
    ],
    ['too few tasks', ({ tasks }) => void tasks.splice(2, 3), /too little was done: 2 of 4 tasks/],
    ['no vanished worker', ({ faults }) => void faults.shift(), /0 of 1 vanished workers/],
    ['a target that never froze', ({ faults }) => void faults.pop(), /0 of 1 freezes of s3/],
    [
      'a target that froze too briefly',
      ({ faults }) => set(faults.at(-1), { until: 80_000 }),
      /0 of 1 long freezes of s3/,
    ],
  ])('objects to %s', (_, doctor, objection) => {
    const evidence = goodRun();
    doctor(evidence);
    expect(judgeFreeze(evidence, planned).failures.join('\n')).toMatch(objection);
  });

  test.each(['completed', 'cancelled'])(
    'accepts that a task is %s if the response to its cancel was lost',
    (status) => {
      const evidence = goodRun();
      set(evidence.tasks[4], { cancel: 'unknown', status });
      expect(judgeFreeze(evidence, planned).failures).toEqual([]);
    },
  );

  test('counts a render that was repeated, but does not object to it', () => {
    const evidence = goodRun();
    set(evidence.attempts[0], { outcome: 'engine_lost' });
    evidence.attempts.push({ taskId: 'task_one', attempt: 2, outcome: 'completed' });
    evidence.submits.push({ jobId: 'task_one-2', endpoint: 'north-2' });
    const { figures, failures } = judgeFreeze(evidence, planned);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ repeatedRenders: 1, repeatedBecause: 'engine_lost' });
  });
});
