import { expect, test } from 'vitest';
import { checkEvidence } from './check-evidence.ts';
import type { Answer, Evidence } from './idempotency-evidence.ts';

const thresholds = { kills: 2, killsBeforeResponse: 1, brokenRequests: 3, takeovers: 1 };

function answer(key: string, signature: string, isReplayed = true): Answer {
  const body = `{"task_id":"task_${key}","events_url":"https://video.example.com/${signature}","prompt":"a"}`;
  return { key, status: 200, isReplayed, body };
}

function clean(): Evidence {
  return {
    keys: ['one', 'two'],
    requestsPerKey: 3,
    answers: [
      answer('one', 'a', false),
      answer('one', 'b'),
      answer('one', 'c'),
      // The first answer was lost with the process that sent it.
      answer('two', 'd'),
      answer('two', 'e'),
      answer('two', 'f'),
    ],
    tasks: [
      { id: 'task_one', key: 'one' },
      { id: 'task_two', key: 'two' },
    ],
    records: [
      { key: 'one', taskId: 'task_one' },
      { key: 'two', taskId: 'task_two' },
    ],
    counted: { running: 0, waiting: 2 },
    kills: 2,
    killsBeforeResponse: 1,
    brokenRequests: 3,
    comeBacks: new Map([[409, 12]]),
    firstResponseSeconds: new Map([
      ['one', 1.5],
      ['two', 61.2],
    ]),
  };
}

test('one task a key, and answers that differ in the signed URL alone, are what is promised', () => {
  expect(checkEvidence(clean(), thresholds)).toEqual([]);
});

const doctored: [name: string, doctor: (evidence: Evidence) => void, objection: RegExp][] = [
  ['a second task', ({ tasks }) => void tasks.push({ id: 'task_three', key: 'one' }), /one made 2 tasks/],
  ['no task', ({ tasks }) => void tasks.shift(), /one made 0 tasks/],
  ['a task of no key', ({ tasks }) => void tasks.push({ id: 'task_nine', key: null }), /task_nine was made for none/],
  [
    'a replay with another word in it',
    ({ answers }) => change(answers[2], { body: answers[2]?.body.replace('"a"', '"b"') ?? '' }),
    /one has 2 different answers/,
  ],
  [
    'a replay with another blank in it',
    ({ answers }) => change(answers[2], { body: `${answers[2]?.body} ` }),
    /one has 2 different answers/,
  ],
  [
    'a replay without a signed URL',
    ({ answers }) => change(answers[2], { body: '{"task_id":"task_one","events_url":null,"prompt":"a"}' }),
    /without events_url/,
  ],
  [
    'answers that name another task',
    ({ answers }) => answers.slice(3).forEach((one) => change(one, { body: one.body.replace('task_two', 'task_old') })),
    /two was answered with task_old, and its task is task_two/,
  ],
  [
    'two answers that claim to be the first',
    ({ answers }) => change(answers[1], { isReplayed: false }),
    /2 answers that are not/,
  ],
  ['a refusal', ({ answers }) => change(answers[4], { status: 422, body: '{}' }), /two was answered 422, 1 times/],
  ['a request without an answer', ({ answers }) => void answers.pop(), /two has 2 of 3 answers/],
  ['an orphaned reservation', ({ records }) => change(records[1], { taskId: null }), /two is still reserved/],
  ['a record of another task', ({ records }) => change(records[1], { taskId: 'task_one' }), /names task_one/],
  ['a key without a record', ({ records }) => void records.pop(), /two has 0 records/],
  ['a place in the waiting room that leaked', ({ counted }) => change(counted, { waiting: 3 }), /3 waiting; 2 wait/],
  ['too few kills', (evidence) => change(evidence, { kills: 1 }), /1 of 2 kills/],
  [
    'no kill in the worst place',
    (evidence) => change(evidence, { killsBeforeResponse: 0 }),
    /between commit and answer/,
  ],
  ['kills that hit nobody', (evidence) => change(evidence, { brokenRequests: 2 }), /2 of 3 requests that broke off/],
  [
    'no takeover',
    ({ firstResponseSeconds }) => void firstResponseSeconds.set('two', 2),
    /0 of 1 reservations taken over/,
  ],
];

test.each(doctored)('it objects to %s', (_name, doctor, objection) => {
  const evidence = clean();
  doctor(evidence);
  expect(checkEvidence(evidence, thresholds).join('\n')).toMatch(objection);
});

function change<T extends object>(target: T | undefined, changes: Partial<T>): void {
  if (!target) throw new Error('there is nothing to doctor');
  Object.assign(target, changes);
}
