import { expect, test } from 'vitest';
import { plainProcess } from '../db/attempts/process.fixture.ts';
import { judgeProcesses } from './judge-processes.ts';

const now = new Date('2026-11-18T13:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const timer = { name: 'reconcile', everySeconds: 60, endedAt: ago(50).toISOString() };
const api = plainProcess({ roles: ['api'], host: 'box' });
const relay = plainProcess({ roles: ['relay'], host: 'box', timers: [timer] });
const worker = plainProcess({ startedAt: ago(3_600) });

const reasonsOf = (...processes: Parameters<typeof judgeProcesses>[0]) =>
  judgeProcesses(processes, now).map(({ reason }) => reason);

test('an installation whose roles all report themselves has no problem', () => {
  expect(reasonsOf(api, relay, worker)).toEqual([]);
  expect(reasonsOf(plainProcess({ roles: ['api', 'relay', 'worker', 'console'], timers: [timer] }))).toEqual([]);
});

test.each([
  ['no worker', [api, relay], 'No worker is running: no task starts.'],
  ['no relay', [api, worker], /^No relay is running: nothing is repaired/],
  [
    'a frozen worker',
    [api, relay, worker, { ...worker, silentSeconds: 75 }],
    'worker 0.1.0 on gpu-1 has been silent for 75 s.',
  ],
  [
    'two versions apart',
    [api, relay, { ...worker, version: '0.3.0' }],
    /0\.1\.0, 0\.3\.0, which are more than one minor/,
  ],
  ['another major version', [api, relay, { ...worker, version: '1.1.0' }], /0\.1\.0, 1\.1\.0/],
  [
    'a wrong clock',
    [api, relay, { ...worker, aheadMilliseconds: -61_000 }],
    "The clock of worker 0.1.0 on gpu-1 is 61 s behind Postgres's.",
  ],
  ['a relay without the lock', [api, { ...relay, timers: [] }, worker], /^No relay holds the lock/],
  [
    'a timer that fails',
    [api, { ...relay, timers: [{ ...timer, endedAt: ago(200).toISOString() }] }, worker],
    /^The timer reconcile of relay 0\.1\.0 on box has not run without an error since 2026-11-18T12:56:40/,
  ],
  [
    'a timer that never ran',
    [api, { ...relay, startedAt: ago(181), timers: [{ ...timer, endedAt: null }] }, worker],
    /since its start/,
  ],
])('%s is the one problem, and has a remedy', (_, processes, reason) => {
  const problems = judgeProcesses(processes, now);
  expect(problems).toEqual([
    expect.objectContaining({ reason: expect.stringMatching(reason), remedy: expect.stringMatching(/\w/) }),
  ]);
});

test('a process that was killed and started again on its host is no problem, and a frozen relay names both', () => {
  const killed = { ...worker, startedAt: ago(7_200), silentSeconds: 300 };
  expect(reasonsOf(api, relay, worker, killed)).toEqual([]);
  expect(reasonsOf(api, { ...relay, silentSeconds: 40 }, worker)).toEqual([
    expect.stringContaining('No relay is running'),
    'relay 0.1.0 on box has been silent for 40 s.',
  ]);
});

test('one minor version apart is supported, as during an upgrade', () => {
  expect(reasonsOf(api, relay, { ...worker, version: '0.2.3' })).toEqual([]);
});
