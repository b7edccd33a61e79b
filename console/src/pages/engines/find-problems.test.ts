import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../api/engines.ts';
import { busySlot, endpointWith, idleSlot } from './engines.fixture.ts';
import { findProblems } from './find-problems.ts';

const now = 10_000;

function problemsOf(...endpoints: Endpoint[]) {
  const pool = { name: 'wan', models: [], waiting: 0, oldest_waiting_at: null, endpoints };
  return findProblems({ generated_at: now, pools: [pool] });
}

describe('the endpoints that need attention', () => {
  test('leave out those that are well and those that an operator drained', () => {
    const drained = endpointWith({ state: 'drained', reason: 'An operator has drained it.' });
    expect(problemsOf(endpointWith({ slots: [busySlot(0, now - 60, 30)] }), drained)).toEqual([]);
  });

  test('begin with those that are broken', () => {
    const slow = endpointWith({ id: 'slow', latency_milliseconds: 900 });
    const away = endpointWith({ id: 'away', state: 'unreachable', reason: 'Connection refused.' });
    const found = problemsOf(slow, away).map(({ endpoint, kind }) => [endpoint.id, kind]);
    expect(found).toEqual([
      ['away', 'broken'],
      ['slow', 'suspect'],
    ]);
  });

  test('say when a tripped one is tried again, and how its last job failed', () => {
    const tripped = endpointWith({
      state: 'tripped',
      reason: '4 jobs failed in a row.',
      tripped_until: now + 42,
      last_failure: 'engine_out_of_memory',
    });
    const [problem] = problemsOf(tripped);
    expect(problem?.text).toBe('4 jobs failed in a row. Next try in 42 s. Last: The engine ran out of memory.');
  });

  test('include those that say they are well and contradict it', () => {
    const stuck = endpointWith({ slots: [{ ...busySlot(0, now - 600), state: 'draining' }, idleSlot(1)] });
    const silent = endpointWith({ slots: [busySlot(0, now - 1_200)] });
    const failing = endpointWith({ last_failure: 'engine_lost', last_failure_at: now - 60 });
    expect(problemsOf(stuck, silent, failing).map(({ text }) => text)).toEqual([
      'Slot 0 is still running a job that Kinora abandoned 10 m ago.',
      'Slot 0 has been busy for 20 m without any progress.',
      'A job failed 1 m ago: The engine lost the job.',
    ]);
  });

  test('forget a failure after ten minutes', () => {
    expect(problemsOf(endpointWith({ last_failure: 'engine_lost', last_failure_at: now - 700 }))).toEqual([]);
  });
});
