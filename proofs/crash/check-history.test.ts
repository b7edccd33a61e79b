import { expect, test } from 'vitest';
import { set } from '../set.fixture.ts';
import { checkHistory } from './check-history.ts';
import { emptyHistory, failpoints, type History, type Thresholds } from './history.ts';
import { taskRecord } from './task-record.fixture.ts';

const thresholds: Thresholds = {
  tasks: 4,
  kills: 8,
  hitsOfEachFailpoint: 1,
  followedTakeovers: 1,
  terminationsOfEachStage: 1,
  drains: 1,
  failedShare: 0.5,
};

const videoHash = 'a'.repeat(64);
const pictureHash = 'b'.repeat(64);
const imageHash = 'c'.repeat(64);
const folder = '2026-11-15/task_one';

/** A run that kept the promise: a task completed after a takeover, one at once, one cancelled, one lost three times. */
function cleanHistory(): History {
  return {
    ...emptyHistory(),
    posts: [
      { clientId: 'client-1', taskId: null },
      { clientId: 'client-1', taskId: 'task_one' },
      { clientId: 'client-2', taskId: 'task_two' },
      { clientId: 'client-3', taskId: 'task_three' },
      { clientId: 'client-4', taskId: 'task_four' },
    ],
    observations: [{ taskId: 'task_one', status: 'completed' }],
    cancels: [{ taskId: 'task_three', isConfirmed: true }],
    kills: failpoints.map((failpoint, index) => ({
      target: 'worker',
      failpoint,
      at: 1_000 * (index + 1),
      readyAt: 1_000 * (index + 1) + 500,
    })),
    terminations: [
      { taskId: 'task_one', stage: 'rendering', at: 1_000 },
      { taskId: 'task_one', stage: 'finishing', at: 2_000 },
    ],
    drains: [{ at: 20_000, taskIds: ['task_two', 'task_three'] }],
    submits: ['task_one-1', 'task_two-1', 'task_three-1', 'task_four-1', 'task_four-2', 'task_four-3'],
    findings: [{ kind: 'restarted', taskId: 'task_one' }],
    tasks: [
      {
        ...taskRecord('task_one', 'client-1', 'completed'),
        video: video(folder),
        imageKey: `${folder}/${imageHash}.png`,
      },
      { ...taskRecord('task_two', 'client-2', 'completed'), video: video('2026-11-15/task_two') },
      taskRecord('task_three', 'client-3', 'cancelled'),
      { ...taskRecord('task_four', 'client-4', 'failed'), attempt: 3, failedAttempts: 3, errorCode: 'engine_lost' },
    ],
    attempts: [
      { taskId: 'task_one', attempt: 1, outcome: 'completed', takeovers: 1, beganAt: 500, endedAt: 9_000 },
      { taskId: 'task_two', attempt: 1, outcome: 'completed', takeovers: 0, beganAt: 19_000, endedAt: 25_000 },
      { taskId: 'task_three', attempt: 1, outcome: 'cancelled', takeovers: 0, beganAt: 19_000, endedAt: 21_000 },
      { taskId: 'task_four', attempt: 1, outcome: 'engine_lost', takeovers: 0, beganAt: 900, endedAt: 1_900 },
      { taskId: 'task_four', attempt: 2, outcome: 'engine_lost', takeovers: 0, beganAt: 2_900, endedAt: 3_900 },
      { taskId: 'task_four', attempt: 3, outcome: 'engine_lost', takeovers: 0, beganAt: 4_900, endedAt: 5_900 },
    ],
    events: [
      { taskId: 'task_one', type: 'video.started', at: 500 },
      { taskId: 'task_one', type: 'video.completed', at: 9_000 },
      { taskId: 'task_two', type: 'video.completed', at: 25_000 },
      { taskId: 'task_three', type: 'video.cancelled', at: 21_000 },
      { taskId: 'task_four', type: 'video.failed', at: 5_900 },
    ],
    usage: [
      { taskId: 'task_one', status: 'completed' },
      { taskId: 'task_two', status: 'completed' },
      { taskId: 'task_three', status: 'cancelled' },
      { taskId: 'task_four', status: 'failed' },
    ],
    projectSlots: [{ projectId: 'proj_one', livemode: false, running: 0, waiting: 0 }],
    leases: [{ endpointId: 'animatic', slot: 0, taskId: null }],
    objects: [
      ...['2026-11-15/task_two', folder].flatMap((place) => [
        { key: `${place}/${videoHash}.mp4`, sha256: videoHash },
        { key: `${place}/${pictureHash}.jpg`, sha256: pictureHash },
      ]),
      { key: `${folder}/${imageHash}.png`, sha256: imageHash },
    ],
  };
}

function video(place: string): NonNullable<History['tasks'][number]['video']> {
  const picture = `${place}/${pictureHash}.jpg`;
  return { objectKey: `${place}/${videoHash}.mp4`, thumbnailKey: picture, spritesheetKey: picture, sha256: videoHash };
}

test('the checker accepts a clean history', () => {
  expect(checkHistory(cleanHistory(), thresholds)).toEqual([]);
});

const doctored: [name: string, doctor: (history: History) => void, objection: RegExp][] = [
  ['an accepted task without a row', ({ tasks }) => void tasks.splice(1, 1), /task_two was accepted and is lost/],
  [
    'a response that names the task of another client',
    ({ posts }) => set(posts[1], { taskId: 'task_two' }),
    /task_two was accepted and is lost/,
  ],
  ['a task that no client requested', ({ tasks }) => set(tasks[1], { clientId: 'client-9' }), /was never requested/],
  ['a task that never ends', ({ tasks }) => set(tasks[0], { status: 'in_progress' }), /task_one is stuck/],
  [
    'two ends',
    ({ events }) => void events.push({ taskId: 'task_two', type: 'video.cancelled', at: 1 }),
    /task_two has 2 ends/,
  ],
  [
    'the same end twice',
    ({ events }) => void events.push({ taskId: 'task_two', type: 'video.completed', at: 1 }),
    /task_two has 2 ends/,
  ],
  ['no end', ({ events }) => void events.splice(2, 1), /task_two has 0 ends/],
  [
    'an end other than the row',
    ({ events }) => set(events[2], { type: 'video.failed' }),
    /its event says video.failed/,
  ],
  ['no usage row', ({ usage }) => void usage.splice(0, 1), /task_one has 0 usage rows/],
  ['two usage rows', ({ usage }) => void usage.push({ taskId: 'task_one', status: 'completed' }), /2 usage rows/],
  ['a usage row of another status', ({ usage }) => set(usage[0], { status: 'failed' }), /its usage says failed/],
  [
    'a cancel that no client requested',
    ({ cancels }) => void cancels.pop(),
    /task_three was cancelled without a request/,
  ],
  [
    'a cancel that did not last',
    ({ cancels }) => void cancels.push({ taskId: 'task_two', isConfirmed: true }),
    /was cancelled and then became completed/,
  ],
  [
    'a failure that kills do not explain',
    ({ tasks }) => set(tasks[1], { status: 'failed', errorCode: 'internal_error' }),
    /used up only 0 attempts/,
  ],
  ['a failure with an attempt left', ({ tasks }) => set(tasks[3], { failedAttempts: 2 }), /task_four failed/],
  [
    'an attempt lost while nothing was killed',
    ({ attempts }) => set(attempts[3], { beganAt: 50_000, endedAt: 51_000 }),
    /although no kill that can lose a job hit it/,
  ],
  [
    'an attempt lost while every kill hit something that cannot lose a job',
    ({ kills }) => kills.forEach((kill) => set(kill, { target: 'api' })),
    /although no kill that can lose a job hit it/,
  ],
  ['an attempt without an outcome', ({ attempts }) => set(attempts[1], { outcome: null }), /has no outcome/],
  ['an attempt without a task', ({ attempts }) => set(attempts[1], { taskId: 'task_nine' }), /belongs to no task/],
  [
    'a completed attempt of a task that did not complete',
    ({ attempts }) => set(attempts[2], { outcome: 'completed' }),
    /ended as completed, but the task is cancelled/,
  ],
  [
    'a leaked running slot of the project',
    ({ projectSlots }) => set(projectSlots[0], { running: 1 }),
    /1 running and 0 waiting/,
  ],
  [
    'a leaked waiting place of the project',
    ({ projectSlots }) => set(projectSlots[0], { waiting: 1 }),
    /0 running and 1 waiting/,
  ],
  [
    'a leak that the reconciler repaired',
    ({ findings }) => void findings.push({ kind: 'miscounted', taskId: null }),
    /had to act: miscounted/,
  ],
  [
    'a workflow that ended before its task',
    ({ findings }) => void findings.push({ kind: 'completed-without-end', taskId: 'task_one' }),
    /had to act/,
  ],
  ['a leaked slot of an engine', ({ leases }) => set(leases[0], { taskId: 'task_one' }), /still leased to task_one/],
  ['outbox rows', (history) => set(history, { outboxRows: 2 }), /2 outbox rows/],
  ['a workflow that still runs', ({ workflows }) => set(workflows, { running: 1 }), /1 workflows are still running/],
  ['a workflow that failed', ({ workflows }) => set(workflows, { failed: 1 }), /1 workflows failed/],
  ['a job submitted twice', ({ submits }) => void submits.push('task_one-1'), /task_one-1 was submitted 2 times/],
  [
    'a job without an attempt',
    ({ submits }) => void submits.push('task_one-2'),
    /task_one-2 was submitted without an attempt/,
  ],
  [
    'a video that no engine rendered',
    ({ submits }) => void submits.splice(1, 1),
    /task_two-1 completed without a submit/,
  ],
  [
    'a graceful stop that cost an attempt',
    ({ tasks, attempts }) => (set(tasks[1], { attempt: 2 }), set(attempts[1], { attempt: 2 })),
    /task_two was running while the worker was stopped/,
  ],
  ['a missing file', ({ objects }) => void objects.shift(), /missing from the store/],
  ['a video with other bytes', ({ objects }) => set(objects[0], { sha256: imageHash }), /do not match its hash/],
  ['a thumbnail with other bytes', ({ objects }) => set(objects[1], { sha256: imageHash }), /do not match its hash/],
  ['an image with other bytes', ({ objects }) => set(objects[4], { sha256: videoHash }), /do not match its hash/],
  [
    'a hash in the row that the file does not have',
    ({ tasks }) => set(tasks[0]?.video, { sha256: imageHash }),
    /do not match its hash/,
  ],
  [
    'an object that no row names',
    ({ objects }) => void objects.push({ key: `${folder}/raw-1`, sha256: videoHash }),
    /although no row names it/,
  ],
  [
    'a final status that changed',
    ({ observations }) => void observations.push({ taskId: 'task_two', status: 'failed' }),
    /was read as failed but is completed/,
  ],
  [
    'a response that no kill explains',
    ({ unexpectedResponses }) => void unexpectedResponses.push({ request: 'POST', status: 500, body: '' }),
    /got the response 500/,
  ],
  ['too few kills', ({ kills }) => void kills.splice(5, 1), /7 of 8 kills/],
  [
    'a failpoint that was not reached',
    ({ kills }) => set(kills[7], { failpoint: null }),
    /0 of 1 hits of after-upload/,
  ],
  ['too few takeovers', ({ attempts }) => set(attempts[0], { takeovers: 0 }), /0 of 1 takeovers/],
  [
    'no workflow terminated in a stage',
    ({ terminations }) => void terminations.pop(),
    /0 of 1 workflows terminated while finishing/,
  ],
  ['no stop of a rendering worker', ({ drains }) => set(drains[0], { taskIds: [] }), /0 of 1 stops/],
];

test.each(doctored)('the checker objects to %s', (_name, doctor, objection) => {
  const history = cleanHistory();
  doctor(history);
  expect(checkHistory(history, thresholds).join('\n')).toMatch(objection);
});

test('the checker objects to too few tasks', () => {
  expect(checkHistory(cleanHistory(), { ...thresholds, tasks: 5 })).toEqual(['too little was done: 4 of 5 tasks']);
});

test('the checker objects to more failures than allowed', () => {
  expect(checkHistory(cleanHistory(), { ...thresholds, failedShare: 0.02 })).toEqual(['1 of 3 tasks failed']);
});
