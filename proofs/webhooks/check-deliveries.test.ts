import { expect, test } from 'vitest';
import { checkDeliveries } from './check-deliveries.ts';
import { failureModes } from './failure-modes.ts';
import type { Observations, Received, Thresholds } from './observations.ts';

const thresholds: Thresholds = {
  events: 30,
  deadDeliveries: 2,
  latencies: 3,
  longestSeconds: 5,
  failureModes: 10,
  failedShare: [0.2, 0.4],
};

function received(place: string, webhookId: string, outcome: string): Received {
  return {
    place,
    webhookId,
    bodyId: webhookId,
    at: 0,
    isAcceptedByPackage: true,
    isAcceptedBySpecification: true,
    outcome,
  };
}

/** Thirty events to one receiver, ten of which failed once, each in another way; two to the dead endpoint. */
function observed(): Observations {
  const ways = Object.keys(failureModes);
  const events = Array.from({ length: 30 }, (_, index) => `evt_${index}`);
  const dead = (id: string, deadReason: string, tryCount: number) =>
    ({ id, place: 'dead', eventId: `evt_${id}`, status: 'dead', deadReason, tryCount, tries: null }) as const;
  return {
    received: [
      ...events.flatMap((id, index) => {
        const way = ways[index];
        return [...(way ? [received('flaky', id, way)] : []), received('flaky', id, 'ok')];
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
        tryCount: ways[index] ? 2 : 1,
        tries: ways[index] ? [1, 2] : [1],
      })),
      dead('x', 'tries_used_up', 2),
      dead('y', 'endpoint_disabled', 0),
    ],
    redirectsFollowed: 0,
    deadEndpoint: { status: 'disabled', disabledReason: 'failing' },
    latencyWithoutDead: [50, 60, 70],
    latencyWithDead: [50, 60, 80],
  };
}

test('a promise that was kept is not objected to', () => {
  expect(checkDeliveries(observed(), thresholds)).toEqual([]);
});

const [first, second] = [0, 1];
type Doctor = (seen: Observations) => void;
/** Changes what was seen; a doctor that finds nothing to change would prove nothing. */
const change =
  <List extends 'received' | 'deliveries'>(
    list: List,
    index: number,
    changes: Partial<Observations[List][number]>,
  ): Doctor =>
  (seen) => {
    const found = seen[list][index];
    if (!found) throw new Error('there is nothing to doctor');
    Object.assign(found, changes);
  };

const doctored: [name: string, doctor: Doctor, objection: RegExp][] = [
  ['one that is still on its way', change('deliveries', first, { status: 'pending' }), /neither delivered nor dead/],
  [
    'one that died at a receiver that works',
    change('deliveries', first, { status: 'dead', deadReason: 'tries_used_up' }),
    /works most of the time/,
  ],
  ['one that is dead without a reason', change('deliveries', 31, { deadReason: null }), /dead for no reason/],
  ['one that was never taken', (seen) => void seen.received.splice(1, 1), /but was taken 0 times/],
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
  ['a followed redirect', (seen) => void (seen.redirectsFollowed = 1), /redirects were followed/],
  ['a try that is missing in the log', change('deliveries', first, { tries: [2] }), /has the tries 2, not 1 to 2/],
  [
    'webhooks sent again for nothing',
    (seen) => void seen.received.push(received('flaky', 'evt_3', 'ok')),
    /sent again after they were taken/,
  ],
  [
    'a dead endpoint that stays enabled',
    (seen) => void (seen.deadEndpoint = { status: 'enabled', disabledReason: null }),
    /not disabled as failing/,
  ],
  [
    'a dead endpoint that took something',
    change('deliveries', 30, { status: 'delivered' }),
    /delivered to the dead endpoint/,
  ],
  [
    'one that waited for the dead endpoint',
    (seen) => void (seen.latencyWithDead = [...Array.from({ length: 99 }, () => 50), 5_000]),
    /waited for a try/,
  ],
  ['others that were slowed', (seen) => void (seen.latencyWithDead = [50, 60, 2_000]), /others were slowed/],
  ['too few events', (seen) => void seen.deliveries.splice(0, 5), /too little was done: 25 events/],
  [
    'a receiver that fails too little',
    (seen) => void (seen.received = seen.received.filter(({ outcome }) => outcome === 'ok')),
    /0 ways to fail, 10 are needed[^]*failed 0 %/,
  ],
];

test.each(doctored)('it objects to %s', (_name, doctor, objection) => {
  const seen = observed();
  doctor(seen);
  expect(checkDeliveries(seen, thresholds).join('\n')).toMatch(objection);
});
