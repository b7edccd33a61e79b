import { expect, test } from 'vitest';
import { set } from '../set.fixture.ts';
import { checkDeliveries, checkLatencies } from './check-deliveries.ts';
import { failureModes } from './failure-modes.ts';
import type { Latencies, Observations, Received, Thresholds } from './observations.ts';

const thresholds: Thresholds = {
  events: 30,
  deadDeliveries: 2,
  besideDead: 2,
  latencies: 3,
  longestSeconds: 5,
  failureModes: 10,
  failedShare: [0.2, 0.4],
  mostSentTwiceShare: 0.01,
};

function received(place: string, webhookId: string, outcome: string): Received {
  return {
    place,
    webhookId,
    bodyId: webhookId,
    taskId: 'task_1',
    at: 0,
    isAcceptedByPackage: true,
    isAcceptedBySpecification: true,
    outcome,
  };
}

/** Thirty events to one receiver, ten of which failed once in different modes, and two to the dead endpoint. */
function observed(): Observations {
  const modes = Object.keys(failureModes);
  const events = Array.from({ length: 30 }, (_, index) => `evt_${index}`);
  const dead = (id: string, deadReason: string, tryCount: number) =>
    ({ id, place: 'dead', eventId: `evt_${id}`, status: 'dead', deadReason, tryCount, tries: null }) as const;
  return {
    received: [
      ...events.flatMap((id, index) => {
        const mode = modes[index];
        return [...(mode ? [received('flaky', id, mode)] : []), received('flaky', id, 'ok')];
      }),
      received('dead', 'evt_x', 'silence'),
      received('dead', 'evt_x', 'silence'),
    ],
    deliveries: [
      ...events.map((eventId, index) => ({
        id: `del_${index}`,
        place: 'flaky',
        eventId,
        status: 'delivered' as const,
        deadReason: null,
        tryCount: modes[index] ? 2 : 1,
        tries: modes[index] ? [1, 2] : [1],
      })),
      dead('x', 'tries_used_up', 2),
      dead('y', 'endpoint_disabled', 0),
    ],
    redirectsFollowed: 0,
    deadEndpoint: { status: 'disabled', disabledReason: 'failing' },
    besideDead: [
      { hanging: 20, ended: 0, hasArrived: true },
      // A try ended by chance, so another event was sent.
      { hanging: 20, ended: 1, hasArrived: true },
      { hanging: 12, ended: 0, hasArrived: true },
    ],
  };
}

test('the checker accepts deliveries that kept the promise', () => {
  expect(checkDeliveries(observed(), thresholds)).toEqual([]);
});

const [first, second] = [0, 1];
type Doctor = (evidence: Observations) => void;
/** Changes the evidence; throws if there is nothing to change, because the test would then prove nothing. */
const change =
  <List extends 'received' | 'deliveries'>(
    list: List,
    index: number,
    changes: Partial<Observations[List][number]>,
  ): Doctor =>
  (evidence) =>
    set<object>(evidence[list][index], changes);

const doctored: [name: string, doctor: Doctor, objection: RegExp][] = [
  ['a pending delivery', change('deliveries', first, { status: 'pending' }), /neither delivered nor dead/],
  [
    'a dead delivery to a receiver that works',
    change('deliveries', first, { status: 'dead', deadReason: 'tries_used_up' }),
    /works most of the time/,
  ],
  ['a dead delivery without a reason', change('deliveries', 31, { deadReason: null }), /dead without a reason/],
  [
    'a delivered webhook that was never accepted',
    (evidence) => void evidence.received.splice(1, 1),
    /but was accepted 0 times/,
  ],
  [
    'an id that changes from try to try',
    change('received', first, { webhookId: 'evt_new', bodyId: 'evt_new' }),
    /webhook-id of no event/,
  ],
  ['a body of another event', change('received', second, { bodyId: 'evt_other' }), /name another event/],
  [
    'a signature that the package refuses',
    change('received', second, { isAcceptedByPackage: false }),
    /1 signatures were refused by standardwebhooks/,
  ],
  [
    'a signature that the specification refuses',
    change('received', second, { isAcceptedBySpecification: false }),
    /refused by the verifier/,
  ],
  ['a followed redirect', (evidence) => void (evidence.redirectsFollowed = 1), /redirects were followed/],
  ['a try that is missing from the log', change('deliveries', first, { tries: [2] }), /has the tries 2, not 1 to 2/],
  [
    'webhooks sent again without a reason',
    (evidence) => void evidence.received.push(received('flaky', 'evt_3', 'ok')),
    /sent again after they were accepted/,
  ],
  [
    'a dead endpoint that stays enabled',
    (evidence) => void (evidence.deadEndpoint = { status: 'enabled', disabledReason: null }),
    /not disabled as failing/,
  ],
  [
    'a delivery to the dead endpoint',
    change('deliveries', 30, { status: 'delivered' }),
    /delivered to the dead endpoint/,
  ],
  [
    'events that arrive only after a try at the dead endpoint has ended',
    (evidence) => {
      for (const event of evidence.besideDead) event.ended = 1;
    },
    /only 0 of 3 events arrived before a try at the dead endpoint ended; 2 are required/,
  ],
  [
    'events beside a dead endpoint at which nothing hung',
    (evidence) => {
      for (const event of evidence.besideDead) event.hanging = 0;
    },
    /only 0 of 3 events arrived before/,
  ],
  [
    'an event that never arrives beside a dead endpoint',
    (evidence) => void evidence.besideDead.push({ hanging: 20, ended: 0, hasArrived: false }),
    /1 events never arrived/,
  ],
  ['too few events', (evidence) => void evidence.deliveries.splice(0, 5), /too little was done: 25 events/],
  [
    'a receiver that fails too little',
    (evidence) => void (evidence.received = evidence.received.filter(({ outcome }) => outcome === 'ok')),
    /0 failure modes; 10 are required[^]*failed 0 %/,
  ],
];

test.each(doctored)('the checker of webhooks objects to %s', (_name, doctor, objection) => {
  const evidence = observed();
  doctor(evidence);
  expect(checkDeliveries(evidence, thresholds).join('\n')).toMatch(objection);
});

const latencies: Latencies = {
  withoutDead: [
    [50, 60, 70],
    [50, 60, 70],
  ],
  // The first round was disturbed by something else.
  withDead: [
    [1_900, 1_900, 1_900],
    [50, 60, 80],
  ],
};

test('the judge of latencies accepts a run in which one round was as fast as without the dead endpoint', () => {
  expect(checkLatencies(latencies, thresholds)).toEqual([]);
});

test.each<[string, Partial<Latencies>, RegExp]>([
  [
    'an event that waited for the dead endpoint',
    { withDead: [[...Array.from({ length: 99 }, () => 50), 5_000], [50]] },
    /waited for a try/,
  ],
  [
    'slower deliveries to other endpoints',
    {
      withDead: [
        [50, 60, 2_000],
        [50, 60, 2_000],
      ],
    },
    /it slowed other endpoints/,
  ],
  ['too few measurements', { withDead: [[50], [60]] }, /2 measured arrivals; 3 are required/],
])('the judge of latencies objects to %s', (_name, change, objection) => {
  expect(checkLatencies({ ...latencies, ...change }, thresholds).join('\n')).toMatch(objection);
});
