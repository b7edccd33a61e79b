import { expect, test } from 'vitest';
import { judge } from './judge-addresses.ts';
import type { CaseRecord, Evidence, Thresholds } from './record.ts';

const thresholds: Thresholds = { forms: 2, cases: 4, legitimate: 1, controlShare: 0.8, addresses: 100 };

function refused(overrides: Partial<CaseRecord> = {}): CaseRecord {
  return {
    column: 'image_url',
    position: 'submitted',
    what: 'loopback',
    url: 'http://127.1/',
    allowed: ['address'],
    ending: 'address',
    detail: '400 image_forbidden_address',
    wasCarriedOut: true,
    milliseconds: 12,
    ...overrides,
  };
}

function fetched(overrides: Partial<CaseRecord> = {}): CaseRecord {
  return refused({
    position: 'legitimate',
    url: 'https://good.test/',
    allowed: ['fetched'],
    ending: 'fetched',
    ...overrides,
  });
}

function evidence(overrides: Partial<Evidence> = {}): Evidence {
  return {
    forms: 2,
    cases: [refused(), refused({ column: 'result_url' }), fetched(), fetched({ column: 'result_url' })],
    trespasses: [],
    databaseKnocks: 0,
    control: { forms: 10, noticed: 9, databaseKnocks: 1 },
    comparison: { compared: 100, publicOnes: 50, strictOnPurpose: 5, disagreements: [] },
    ...overrides,
  };
}

const withCase = (record: CaseRecord) => evidence({ cases: [...evidence().cases, record] });

test('a run in which every case ended as allowed and the canary noticed the control keeps the promise', () => {
  const { figures, failures } = judge(evidence(), thresholds);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({
    forms: 2,
    cases: 4,
    canaryConnections: 0,
    legitimateRefused: 0,
    addressDisagreements: 0,
  });
});

test.each<[string, Evidence]>([
  ['reached 10.0.0.1 port 80', evidence({ trespasses: [{ address: '10.0.0.1', port: 80, said: 'GET / HTTP/1.1' }] })],
  ["reached the stack's Postgres", evidence({ databaseKnocks: 1 })],
  ['ended as fetched', withCase(refused({ ending: 'fetched', detail: '200' }))],
  ['ended as unreachable', withCase(refused({ ending: 'unreachable', detail: '400 image_unreachable' }))],
  ['ended as broken', withCase(refused({ ending: 'broken', detail: '500 internal_error' }))],
  ['not as fetched', withCase(fetched({ ending: 'address', detail: '400 image_forbidden_address' }))],
  ['did not happen', withCase(refused({ position: 'redirect', wasCarriedOut: false }))],
  ['took 20001 ms', withCase(refused({ milliseconds: 20_001 }))],
  [
    'is public by the registries',
    evidence({
      comparison: { ...evidence().comparison, disagreements: [{ address: '9.9.9.9', expected: 'public', got: 'f' }] },
    }),
  ],
  [
    'is forbidden by the registries',
    evidence({
      comparison: {
        ...evidence().comparison,
        disagreements: [{ address: '10.0.0.1', expected: 'forbidden', got: 'p' }],
      },
    }),
  ],
  ['only 1 forms', evidence({ forms: 1 })],
  ['only 3 cases', evidence({ cases: evidence().cases.slice(1) })],
  ['only 0 legitimate URLs', evidence({ cases: [refused(), refused(), refused(), fetched()] })],
  ['only 99 addresses', evidence({ comparison: { ...evidence().comparison, compared: 99 } })],
  ['so it may have missed connections', evidence({ control: { forms: 10, noticed: 7, databaseKnocks: 1 } })],
  ['so its log may have missed others', evidence({ control: { forms: 10, noticed: 9, databaseKnocks: 0 } })],
])('the judge objects with "%s"', (words, doctored) => {
  const { failures } = judge(doctored, thresholds);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toContain(words);
});
