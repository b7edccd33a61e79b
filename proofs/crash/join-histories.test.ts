import { expect, test } from 'vitest';
import { checkHistory } from './check-history.ts';
import { emptyHistory, failpoints, type History, type Thresholds } from './history.ts';
import { joinHistories } from './join-histories.ts';
import { taskRecord } from './task-record.fixture.ts';

const thresholds: Thresholds = {
  tasks: 2,
  kills: 2 * failpoints.length,
  hitsOfEachFailpoint: 2,
  followedTakeovers: 2,
  terminationsOfEachStage: 2,
  drains: 2,
  failedShare: 0,
};

/** A run with one task, which did half of what the thresholds demand. Client and endpoint have the same ids each time. */
function runOf(taskId: string): History {
  const hash = 'a'.repeat(64);
  const file = `2026-11-16/${taskId}/${hash}.mp4`;
  return {
    ...emptyHistory(),
    posts: [{ clientId: 'client-0', taskId }],
    kills: failpoints.map((failpoint) => ({ target: 'worker', failpoint, at: 1_000, readyAt: 2_000 })),
    terminations: [
      { taskId, stage: 'rendering', at: 1_000 },
      { taskId, stage: 'finishing', at: 2_000 },
    ],
    drains: [{ at: 3_000, taskIds: [taskId] }],
    submits: [`${taskId}-1`],
    tasks: [
      {
        ...taskRecord(taskId, 'client-0', 'completed'),
        video: { objectKey: file, thumbnailKey: file, spritesheetKey: file, sha256: hash },
      },
    ],
    attempts: [{ taskId, attempt: 1, outcome: 'completed', takeovers: 1, beganAt: 500, endedAt: 4_000 }],
    events: [{ taskId, type: 'video.completed', at: 4_000 }],
    usage: [{ taskId, status: 'completed' }],
    leases: [{ endpointId: 'north-1', slot: 0, taskId: null }],
    objects: [{ key: file, sha256: hash }],
  };
}

test('two runs together reach thresholds that neither reaches alone', () => {
  const runs = [runOf('task_one'), runOf('task_two')];
  for (const run of runs) {
    expect(checkHistory(joinHistories([run]), thresholds).join('\n')).toMatch(/too little was done: 1 of 2 tasks/);
  }
  expect(checkHistory(joinHistories(runs), thresholds)).toEqual([]);
});

test.each<[string, (run: History) => void, RegExp]>([
  ['a lost task', (run) => void run.tasks.pop(), /task_one was accepted and is lost/],
  ['a task of another client', (run) => void (run.posts = [{ clientId: 'client-9', taskId: 'task_one' }]), /is lost/],
  ['a second submit', (run) => void run.submits.push('task_one-1'), /task_one-1 was submitted 2 times/],
  ['a missing file', (run) => void run.objects.pop(), /missing from the store/],
  ['outbox rows', (run) => void (run.outboxRows = 2), /2 outbox rows/],
  ['a workflow that runs', (run) => void (run.workflows.running = 1), /1 workflows are still running/],
  ['a leaked slot', (run) => void (run.leases = [{ endpointId: 'north-1', slot: 0, taskId: 'x' }]), /run 1: north-1/],
])('%s in the first run still counts after the second', (_, doctor, objection) => {
  const first = runOf('task_one');
  doctor(first);
  expect(checkHistory(joinHistories([first, runOf('task_two')]), thresholds).join('\n')).toMatch(objection);
});

test('the join keeps the sums and the order of the runs', () => {
  const first = { ...runOf('task_one'), outboxRows: 1, workflows: { running: 1, failed: 2 } };
  const second = { ...runOf('task_two'), outboxRows: 2, workflows: { running: 3, failed: 4 } };
  const joined = joinHistories([first, second]);
  expect(joined).toMatchObject({ outboxRows: 3, workflows: { running: 4, failed: 6 } });
  expect(joined.posts.map(({ clientId }) => clientId)).toEqual(['run 1: client-0', 'run 2: client-0']);
});

test('a join of no runs is an empty history', () => {
  expect(joinHistories([])).toEqual(emptyHistory());
});
