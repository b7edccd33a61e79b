import { expect, test } from 'vitest';
import { clockAt } from '../domain/clock.fixture.ts';
import { ownRequestIdOf, requestFields, requestIdOf } from './request-id.ts';

const clock = clockAt(() => new Date());

test('two requests with the same id of their callers have different ids of ours in the log', () => {
  const fieldsOf = (header?: string) => {
    const id = requestIdOf(header, clock);
    const headers = header === undefined ? {} : { 'x-request-id': header };
    return requestFields({ id, ownRequestId: ownRequestIdOf({ id, headers }, clock) });
  };
  const [one, other] = [fieldsOf('mine'), fieldsOf('mine')];
  expect([one.requestId, other.requestId]).toEqual(['mine', 'mine']);
  expect(one.ownRequestId).toMatch(/^req_/);
  expect(one.ownRequestId).not.toBe(other.ownRequestId);
  expect(fieldsOf()).toEqual({ requestId: expect.stringMatching(/^req_/) });
  expect(fieldsOf('with spaces')).toEqual({ requestId: expect.stringMatching(/^req_/) });
});
