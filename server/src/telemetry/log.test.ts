import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { createLog } from './log.ts';

interface Line {
  event: string;
  level: number;
  msg: string;
  taskId?: string;
  repeated?: number;
  err?: { type?: string; code?: string; message: string; stack?: string };
}

const refused = (port: number): Error =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED' });

function start() {
  const lines: Line[] = [];
  const time = { now: 0 };
  const log = createLog({
    level: 'info',
    roles: ['relay'],
    isConnectionError: (error) => error instanceof Error && 'code' in error && String(error.code).startsWith('ECONN'),
    write: (line) => void lines.push(JSON.parse(line) as Line),
    now: () => time.now,
  });
  return { lines, log, time };
}

describe('a log line', () => {
  it('a log line has its event, its fields and its message', () => {
    const { lines, log } = start();
    log.info({ event: 'endpoint.owned', endpoint: 'gpu-1' }, 'endpoint owned');
    expect(lines).toMatchObject([
      { level: 30, roles: 'relay', event: 'endpoint.owned', endpoint: 'gpu-1', msg: 'endpoint owned' },
    ]);
  });

  it('a log line has the messages and stacks of an unexpected error and of its causes', () => {
    const { lines, log } = start();
    const err = new TypeError('not a task', { cause: new Error('row is empty') });
    log.error({ event: 'request.failed', err }, 'request failed');
    expect(lines[0]?.err).toMatchObject({ type: 'TypeError', message: 'not a task: row is empty' });
    expect(lines[0]?.err?.stack).toContain('caused by: Error: row is empty');
  });

  it('a log line has an error even if the thrown value is not an Error', () => {
    const { lines, log } = start();
    log.error({ event: 'request.failed', err: null }, 'request failed');
    expect(lines[0]?.err).toMatchObject({ message: 'null' });
  });

  it('a log line without an error is never suppressed', () => {
    const { lines, log } = start();
    for (let count = 0; count < 5; count += 1) log.info({ event: 'attempt.taken_over' }, 'attempt taken over');
    expect(lines).toHaveLength(5);
  });
});

describe('the error of an outage', () => {
  it('the error of an outage has a code and a message but no stack, even if it is only the cause', () => {
    const { lines, log } = start();
    log.warn({ event: 'relay.timer_failed', err: refused(1) }, 'relay timer failed');
    log.warn({ event: 'workflow.start_failed', err: new Error('no start', { cause: refused(1) }) }, 'not started');
    log.warn({ event: 'temporal.unreachable', err: new AggregateError([refused(1)]) }, 'Temporal unreachable');
    const unavailable = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'No connection established' });
    log.warn({ event: 'outbox.send_failed', err: unavailable }, 'outbox messages not sent');
    log.warn({ event: 'request.unavailable', err: new AppError('overloaded') }, 'request refused for now');
    expect(lines.map(({ err }) => err?.stack)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(lines[0]?.err).toEqual({ type: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' });
    expect(lines[1]?.err?.message).toBe('no start: connect ECONNREFUSED 127.0.0.1:1');
    expect(lines[2]?.err?.message).toBe('connect ECONNREFUSED 127.0.0.1:1');
  });

  it('the error of an outage is written once in 30 s for all tasks, ports and times, with the number of suppressed lines', () => {
    const { lines, log, time } = start();
    for (let second = 0; second <= 60; second += 1) {
      time.now = second * 1000;
      log.warn({ event: 'activity.failed', taskId: `task_${second}`, err: refused(second) }, 'activity failed');
    }
    expect(lines.map(({ repeated }) => repeated)).toEqual([undefined, 29, 29]);
  });

  it('the error of an outage is written for each event and each level', () => {
    const { lines, log } = start();
    log.warn({ event: 'relay.timer_failed', err: refused(1) }, 'relay timer failed');
    log.warn({ event: 'outbox.send_failed', err: refused(1) }, 'outbox messages not sent');
    log.error({ event: 'outbox.send_failed', err: refused(1) }, 'outbox messages not sent');
    expect(lines).toHaveLength(3);
  });
});

describe('an unexpected error', () => {
  it('an unexpected error that repeats with the same fields is written once in 30 s', () => {
    const { lines, log } = start();
    const fail = (timer: string) =>
      log.warn({ event: 'relay.timer_failed', timer, err: new Error('no such table') }, 'relay timer failed');
    for (let count = 0; count < 5; count += 1) fail('outbox');
    fail('slots');
    expect(lines).toHaveLength(2);
  });

  it('an unexpected error is written with its stack for each request', () => {
    const { lines, log } = start();
    for (const requestId of ['req_1', 'req_2'])
      log.error({ event: 'request.failed', requestId, err: new Error('a bug') }, 'request failed');
    expect(lines.map(({ err }) => err?.stack === undefined)).toEqual([false, false]);
  });

  it('an error that ends the process is always written', () => {
    const { lines, log } = start();
    for (let count = 0; count < 2; count += 1) log.fatal({ event: 'worker.failed', err: refused(1) }, 'worker failed');
    expect(lines).toHaveLength(2);
  });
});
