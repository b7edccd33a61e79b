import { describe, expect, it } from 'vitest';
import { type Attempt, type CallerKind, judge } from './judge-authorisation.ts';

const attempt = (caller: CallerKind, status: number, code?: string, more: Partial<Attempt> = {}): Attempt => ({
  operation: 'GET /v1/videos/{task_id}',
  caller,
  needsKey: true,
  namesSomething: true,
  status,
  body: code === undefined ? '{}' : JSON.stringify({ error: { code }, request_id: `req_${caller}` }),
  ...more,
});

describe('the judge of authorisation', () => {
  it.each([
    attempt('no key', 401, 'missing_api_key'),
    attempt('malformed', 401, 'invalid_api_key'),
    attempt('revoked', 401, 'revoked_api_key'),
    attempt('suspended project', 403, 'project_suspended'),
    attempt('suspended project', 404, 'task_not_found', {
      operation: 'DELETE /v1/videos/{task_id}',
      unknownBody: JSON.stringify({ error: { code: 'task_not_found' }, request_id: 'req_2' }),
    }),
    attempt('token of a revoked key', 401, 'revoked_api_key'),
    attempt('token of the wrong scope', 403, 'insufficient_scope'),
    attempt('token of another project', 404, 'task_not_found', {
      unknownBody: JSON.stringify({ error: { code: 'task_not_found' }, request_id: 'req_2' }),
    }),
    attempt('valid', 200),
    attempt('valid', 204),
    attempt('other project', 404, 'task_not_found', {
      unknownBody: JSON.stringify({ error: { code: 'task_not_found' }, request_id: 'req_2' }),
    }),
    attempt('other project', 200, undefined, { namesSomething: false }),
    attempt('no key', 200, undefined, { needsKey: false }),
  ])('accepts status $status for the caller "$caller"', (good) => {
    expect(judge(good, ['task_secret'])).toBeNull();
  });

  it.each([
    ['a request without a key that was accepted', attempt('no key', 200)],
    ['the right status with another code', attempt('revoked', 401, 'invalid_api_key')],
    ['a key of the wrong scope that was accepted', attempt('wrong scope', 200)],
    ['a forged token that was accepted', attempt('forged token', 200)],
    ['a token that reads another task', attempt('token of another task', 200)],
    ['a suspended project that reads', attempt('suspended project', 404, 'task_not_found')],
    [
      'a suspended project that deletes what belongs to another',
      attempt('suspended project', 200, undefined, { operation: 'DELETE /v1/videos/{task_id}' }),
    ],
    ['a server error', attempt('wrong scope', 500, 'internal_error')],
    ['a valid request that was refused', attempt('valid', 403, 'insufficient_scope')],
    ['a foreign id that is forbidden instead of not found', attempt('other project', 403, 'insufficient_scope')],
    [
      'a foreign id whose response differs from that of an unknown id',
      attempt('wrong mode', 404, 'task_not_found', { unknownBody: '{"error":{"code":"not_found"}}' }),
    ],
    [
      'a list with an object of another project',
      attempt('other project', 200, undefined, { namesSomething: false, body: '{"data":[{"id":"task_secret"}]}' }),
    ],
    ['a refusal by a route that needs no key', attempt('no key', 401, 'missing_api_key', { needsKey: false })],
  ])('objects to %s', (_, bad) => {
    expect(judge(bad, ['task_secret'])).not.toBeNull();
  });
});
