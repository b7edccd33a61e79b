import { expect, test } from 'vitest';
import { set } from '../set.fixture.ts';
import { checkEvidence } from './check-evidence.ts';
import type { CreateResponse, Evidence } from './idempotency-evidence.ts';

const thresholds = { kills: 2, killsBeforeResponse: 1, brokenRequests: 3, takeovers: 1 };

function response(key: string, signature: string, isReplayed = true): CreateResponse {
  const body = `{"task_id":"task_${key}","events_url":"https://video.example.com/${signature}","prompt":"a"}`;
  return { key, status: 200, isReplayed, body };
}

function clean(): Evidence {
  return {
    keys: ['one', 'two'],
    requestsPerKey: 3,
    responses: [
      response('one', 'a', false),
      response('one', 'b'),
      response('one', 'c'),
      // The first response was lost with the process that sent it.
      response('two', 'd'),
      response('two', 'e'),
      response('two', 'f'),
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
    retriesByStatus: new Map([[409, 12]]),
    firstResponseSeconds: new Map([
      ['one', 1.5],
      ['two', 61.2],
    ]),
  };
}

test('the checker accepts one task per key, and responses that differ only in the signed URL', () => {
  expect(checkEvidence(clean(), thresholds)).toEqual([]);
});

const doctored: [name: string, doctor: (evidence: Evidence) => void, objection: RegExp][] = [
  ['a second task', ({ tasks }) => void tasks.push({ id: 'task_three', key: 'one' }), /one made 2 tasks/],
  ['no task', ({ tasks }) => void tasks.shift(), /one made 0 tasks/],
  ['a task without a key', ({ tasks }) => void tasks.push({ id: 'task_nine', key: null }), /task_nine belongs to none/],
  [
    'a replay with another word in it',
    ({ responses }) => set(responses[2], { body: responses[2]?.body.replace('"a"', '"b"') ?? '' }),
    /one has 2 different responses/,
  ],
  [
    'a replay with another space in it',
    ({ responses }) => set(responses[2], { body: `${responses[2]?.body} ` }),
    /one has 2 different responses/,
  ],
  [
    'a replay without a signed URL',
    ({ responses }) => set(responses[2], { body: '{"task_id":"task_one","events_url":null,"prompt":"a"}' }),
    /without events_url/,
  ],
  [
    'responses that name another task',
    ({ responses }) =>
      responses.slice(3).forEach((one) => set(one, { body: one.body.replace('task_two', 'task_old') })),
    /two got the response task_old, but its task is task_two/,
  ],
  [
    'two responses that claim to be the first',
    ({ responses }) => set(responses[1], { isReplayed: false }),
    /2 responses that are not/,
  ],
  ['a refusal', ({ responses }) => set(responses[4], { status: 422, body: '{}' }), /two got the response 422, 1 times/],
  ['a request without a response', ({ responses }) => void responses.pop(), /two has 2 of 3 responses/],
  ['an orphaned reservation', ({ records }) => set(records[1], { taskId: null }), /two is still reserved/],
  ['a record of another task', ({ records }) => set(records[1], { taskId: 'task_one' }), /names task_one/],
  ['a key without a record', ({ records }) => void records.pop(), /two has 0 records/],
  ['a leaked waiting place', ({ counted }) => set(counted, { waiting: 3 }), /3 waiting, but 2 tasks wait/],
  ['too few kills', (evidence) => set(evidence, { kills: 1 }), /1 of 2 kills/],
  [
    'no kill between commit and response',
    (evidence) => set(evidence, { killsBeforeResponse: 0 }),
    /between commit and response/,
  ],
  ['kills that hit no request', (evidence) => set(evidence, { brokenRequests: 2 }), /2 of 3 requests that broke off/],
  [
    'no takeover',
    ({ firstResponseSeconds }) => void firstResponseSeconds.set('two', 2),
    /0 of 1 reservations taken over/,
  ],
];

test.each(doctored)('the checker of idempotency objects to %s', (_name, doctor, objection) => {
  const evidence = clean();
  doctor(evidence);
  expect(checkEvidence(evidence, thresholds).join('\n')).toMatch(objection);
});
