import { expect, test } from 'vitest';
import { judgeSiege } from './judge-siege.ts';
import { type AttackName, type Deeds, type SiegeEvidence, type SiegeWindow } from './siege-evidence.ts';
import { sizes } from './siege-size.ts';

const planned = sizes.ci;
const windowMilliseconds = 4_000;

const held: Deeds = { held: 40, heldSeconds: 7, ended: 960, responses: { 429: 960 }, addresses: 50, visits: 0 };
const flooded: Deeds = { held: 0, heldSeconds: 0, ended: 0, responses: {}, addresses: 1, visits: 0 };
const deedsOf: Record<AttackName, Deeds> = {
  downloads: { ...held, responses: { 200: 40, 429: 960 } },
  streams: { ...held, responses: { 200: 40, 429: 960 } },
  uploads: held,
  'half-sent': { ...held, held: 1_000, ended: 0, responses: {} },
  'failing-creates': { ...flooded, responses: { 400: 10, 429: 500 }, visits: 10 },
  replays: { ...flooded, responses: { 200: 300, 429: 500 } },
  'bad-keys': { ...flooded, responses: { 401: 900 }, addresses: 250 },
  'webhook-tests': { ...flooded, responses: { 200: 10, 429: 500 }, visits: 10 },
  queries: { ...flooded, responses: { 200: 100, 429: 20 } },
  storage: { ...flooded, responses: { 200: 3, 429: 20 } },
};

/** Evidence of three rounds in which every request took 10 ms, also under attack. */
function measured(): SiegeEvidence {
  const kinds: AttackName[][] = [[], ...planned.sieges.map(({ attacks }) => [...attacks])];
  const windows = [0, 1, 2].flatMap((round) =>
    kinds.map((attacks, index): SiegeWindow => {
      const from = (round * kinds.length + index) * windowMilliseconds;
      const deeds = Object.fromEntries(attacks.map((attack) => [attack, structuredClone(deedsOf[attack])]));
      return { round, from, to: from + windowMilliseconds, deeds, apiBytes: 300e6 };
    }),
  );
  const perSecond = planned.rates.read + planned.rates.create;
  const requests = windows.flatMap(({ from }) =>
    Array.from({ length: (perSecond * windowMilliseconds) / 1000 }, (_, number) => {
      const plannedAt = from + (number * 1000) / perSecond;
      return { name: 'read', plannedAt, endedAt: plannedAt + 5 + (number % 100 === 0 ? 5 : 0), status: 200 };
    }),
  );
  const limits = { apiPeakBytes: 310e6, apiExits: 0, hostileCores: 0.25, throttledPeriods: 500 };
  return { requests, windows, rows: 1_000_000, ...limits };
}

/** Changes the requests that were due in the windows of an attack, or of no attack, in these rounds. */
function change(
  { requests, windows }: SiegeEvidence,
  attack: AttackName | null,
  rounds: number[],
  doctor: (request: SiegeEvidence['requests'][number], number: number) => void,
): void {
  for (const { from, to } of windows.filter(
    ({ round, deeds }) => rounds.includes(round) && (attack === null ? Object.keys(deeds).length === 0 : deeds[attack]),
  )) {
    requests.filter(({ plannedAt }) => plannedAt >= from && plannedAt < to).forEach(doctor);
  }
}

function deeds({ windows }: SiegeEvidence, attack: AttackName, doctor: (deeds: Deeds) => void): void {
  for (const window of windows) if (window.deeds[attack]) doctor(window.deeds[attack]);
}

test('the judge of the siege accepts a run in which the honest tenant noticed nothing', () => {
  const { figures, failures } = judgeSiege(measured(), planned);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({
    'alone: requests per second': 110,
    'replays: p99 milliseconds': 10,
    rows: 1_000_000,
  });
});

const refused = (request: SiegeEvidence['requests'][number], number: number): void => {
  if (number % 10 === 0) request.status = 429;
};
const slow = (request: SiegeEvidence['requests'][number], number: number): void => {
  if (number % 50 === 0) request.endedAt += 60;
};

const doctored: [name: string, doctor: (evidence: SiegeEvidence) => void, objection: RegExp][] = [
  [
    'a throughput that falls in two rounds',
    (evidence) => change(evidence, 'replays', [0, 2], refused),
    /replays: 99.0 responses per second, and 110.0 alone/,
  ],
  ['a slow p99 in two rounds', (evidence) => change(evidence, 'queries', [0, 1], slow), /queries: p99 of 70.0 ms/],
  [
    'a slow p99 under attacks that overlap',
    (evidence) => change(evidence, 'uploads', [1, 2], slow),
    /downloads \+ streams \+ uploads \+ half-sent: p99/,
  ],
  [
    'a single 503',
    ({ requests: [first] }) => void (first && (first.status = 503)),
    /1 times a request of the honest tenant failed: read got the response 503/,
  ],
  ['a single lost response', ({ requests: [first] }) => void (first && (first.status = 0)), /got no response/],
  [
    'an honest tenant that sends too little',
    (evidence) => change(evidence, null, [0, 1, 2], refused),
    /does not use its limits/,
  ],
  ['a missing round', ({ windows }) => void windows.pop(), /storage was measured in 2 rounds of 3/],
  ['a missing round alone', ({ windows }) => void windows.shift(), /alone was measured in 2 rounds of 3/],
  [
    'memory during an attack',
    ({ windows }) => {
      for (const window of windows) if (window.deeds['failing-creates']) window.apiBytes = 700e6;
    },
    /failing-creates: the API process used 700 MB/,
  ],
  ['memory at its peak', (evidence) => void (evidence.apiPeakBytes = 601e6), /used 601 MB at its peak/],
  ['an API process that exited', (evidence) => void (evidence.apiExits = 1), /exited 1 times/],
  ['too few rows', (evidence) => void (evidence.rows = 999_999), /only 999999 tasks/],
  ['a hostile process without limits', (evidence) => void (evidence.hostileCores = 0.6), /not confined.*0.60 cores/],
  ['a hostile process that never waited', (evidence) => void (evidence.throttledPeriods = 0), /not confined/],
  [
    'sockets that were never opened',
    (evidence) => deeds(evidence, 'streams', (one) => void (one.ended -= 1)),
    /streams had only 999 of 1000 sockets/,
  ],
  [
    'sockets that were held too briefly',
    (evidence) => deeds(evidence, 'half-sent', (one) => void (one.heldSeconds = 6)),
    /half-sent held a socket for only 6.0 s of 6.7 s/,
  ],
  [
    'an attack that is a malformed request',
    (evidence) => deeds(evidence, 'downloads', (one) => void (one.responses = { 404: 1_000 })),
    /downloads got the status 404 3000 times/,
  ],
  [
    'an attack that made the service fail',
    (evidence) => deeds(evidence, 'storage', (one) => void (one.responses[500] = 1)),
    /storage got the status 500/,
  ],
  [
    'creates that were never refused',
    (evidence) => deeds(evidence, 'failing-creates', (one) => void (one.responses = { 400: 200 })),
    /failing-creates was never refused/,
  ],
  [
    'creates that led the service nowhere',
    (evidence) => deeds(evidence, 'failing-creates', (one) => void (one.visits = 0)),
    /never made the service come/,
  ],
  [
    'bad keys from one address',
    (evidence) => deeds(evidence, 'bad-keys', (one) => void (one.addresses = 1)),
    /fewer than 100 addresses/,
  ],
  [
    'too few queries',
    (evidence) => deeds(evidence, 'queries', (one) => void (one.responses = { 200: 9 })),
    /queries got only 27 responses/,
  ],
  [
    'downloads that were all refused',
    (evidence) => deeds(evidence, 'downloads', (one) => void (one.responses = { 429: 1_000 })),
    /downloads was refused from the first request on/,
  ],
  [
    'queries that were all refused',
    (evidence) => deeds(evidence, 'queries', (one) => void (one.responses = { 429: 900 })),
    /tested nothing/,
  ],
];

test.each(doctored)('the judge of the siege objects to %s', (_name, doctor, objection) => {
  const evidence = measured();
  doctor(evidence);
  expect(judgeSiege(evidence, planned).failures.join('\n')).toMatch(objection);
});

test('the judge of the siege objects to an attack that was left out', () => {
  const sieges = planned.sieges.filter(({ attacks }) => !attacks.includes('storage'));
  expect(judgeSiege(measured(), { ...planned, sieges }).failures).toContain('the attack storage was not planned');
});

test('the judge of the siege accepts one bad round of three, because it compares medians', () => {
  const evidence = measured();
  change(evidence, 'replays', [1], refused);
  change(evidence, 'queries', [2], slow);
  expect(judgeSiege(evidence, planned).failures).toEqual([]);
});

test('the judge of the siege accepts twice the p99 of alone if that is more than 50 ms', () => {
  const evidence = measured();
  change(evidence, null, [0, 1, 2], (request) => void (request.endedAt += 100));
  change(evidence, 'queries', [0, 1, 2], (request) => void (request.endedAt += 200));
  expect(judgeSiege(evidence, planned).failures).toEqual([]);
});
