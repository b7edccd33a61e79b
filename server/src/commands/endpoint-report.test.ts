import { expect, it } from 'vitest';
import type { EndpointState } from '../db/attempts/endpoint-state-table.ts';
import { reportEndpoint, reportRow } from './endpoint-report.ts';

const now = new Date('2026-11-15T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const description = {
  engine: 'cog',
  id: 'gpu-1',
  pool: 'wan',
  url: 'http://a',
  token: 's3cret',
  slots: 1,
  inputs: {},
} as const;
const probe = {
  reason: null,
  latencyMilliseconds: 12,
  description: { engine: 'cog', version: '0.23.1', slots: 1, models: ['wan'], problems: [] },
};
const state: EndpointState = {
  endpointId: 'gpu-1',
  pool: 'wan',
  slots: 1,
  isAccepting: true,
  reason: null,
  engine: 'cog',
  version: '0.23.1',
  models: null,
  latencyMilliseconds: 9,
  seenAt: before(3),
  seenSecondsAgo: 3,
  statusSince: before(60),
  drainedAt: null,
  consecutiveFailures: 0,
  lastFailure: null,
  lastFailureAt: null,
  trippedUntil: null,
};
const known = { description, probe, state, leased: { slots: 1, leased: 1 }, now };
const stateOf = (changes: Partial<EndpointState> | null) =>
  reportEndpoint({ ...known, state: changes && { ...state, ...changes } }).state;

it('the report of a healthy endpoint is one row without its token', () => {
  const row = reportRow(reportEndpoint(known));
  expect(row).toEqual(['gpu-1', 'wan', 'cog', 'ok', '0.23.1', 'wan', '12 ms', '1/1 busy', 'accepting']);
  expect(JSON.stringify(reportEndpoint(known))).not.toContain('s3cret');
});

it('the health of an endpoint says why it takes no job, or what to change', () => {
  const problems = ['Start it with the model of the models file.'];
  expect(
    reportEndpoint({ ...known, probe: { ...probe, description: { ...probe.description, problems } } }).health,
  ).toBe(problems[0]);
  const unreachable = {
    reason: 'it does not respond: connect ECONNREFUSED',
    latencyMilliseconds: null,
    description: null,
  };
  expect(reportRow(reportEndpoint({ ...known, probe: unreachable, state: null, leased: null }))).toEqual([
    'gpu-1',
    'wan',
    'cog',
    'it does not respond: connect ECONNREFUSED',
    '–',
    '–',
    '–',
    '–',
    'no worker has probed it yet',
  ]);
});

it('the state of an endpoint says why it gets no jobs, and until when', () => {
  expect(stateOf({ drainedAt: before(60) })).toBe('drained by an operator since 2026-11-15T11:59:00.000Z');
  expect(stateOf({ seenAt: before(31), seenSecondsAgo: 31 })).toBe(
    'no worker has probed it since 2026-11-15T11:59:29.000Z',
  );
  expect(
    stateOf({ trippedUntil: before(-30), consecutiveFailures: 2, lastFailure: 'engine_crashed', isAccepting: false }),
  ).toBe('tripped until 2026-11-15T12:00:30.000Z after 2 × engine_crashed');
  expect(stateOf({ isAccepting: false, reason: 'it does not respond' })).toBe('not accepting: it does not respond');
  expect(stateOf(null)).toBe('no worker has probed it yet');
});
