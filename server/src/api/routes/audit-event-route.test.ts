import { expect, it } from 'vitest';
import { auditEvent, auditQueries, auth, deletedFrom, refusedKeys, send, taskUrl } from '../app.fixture.ts';

const auditor = { authorization: 'Bearer auditor' };

it('the audit log is listed page by page with filters, without the names and commands of operators', async () => {
  const query = 'action=task.deleted&key_id=key_1&created_after=10&created_before=20&limit=5&order=asc&after=aud_1';
  const { status, json, body } = await send({ url: `/v1/audit-events?${query}`, headers: auditor });
  expect(status).toBe(200);
  expect(auditQueries.at(-1)).toEqual({
    limit: 5,
    after: 'aud_1',
    order: 'asc',
    filter: { action: 'task.deleted', keyId: 'key_1', createdAfter: new Date(10_000), createdBefore: new Date(20_000) },
  });
  expect(json).toMatchObject({ object: 'list', first_id: auditEvent.id, last_id: auditEvent.id, has_more: true });
  expect(json.data).toEqual([
    {
      id: auditEvent.id,
      object: 'audit_event',
      created_at: Math.floor(auditEvent.createdAt.getTime() / 1000),
      livemode: null,
      action: 'project.suspended',
      actor: { type: 'operator', key_id: null, person_id: null },
      object_id: 'proj_1',
      address: null,
      user_agent: null,
      request_id: null,
      detail: { is_suspended: true },
    },
  ]);
  expect(body).not.toContain('ada');
});

it('the audit log needs audit:read, and refuses an action that does not exist', async () => {
  const refused = await send({ url: '/v1/audit-events', headers: { authorization: 'Bearer manager' } });
  expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
  const unknown = await send({ url: '/v1/audit-events?action=task.read', headers: auditor });
  expect([unknown.status, unknown.json.error.param]).toEqual([400, 'action']);
});

it('a refused key is noted with its code and the address of the client; a missing or accepted one is not', async () => {
  const before = refusedKeys.length;
  await send({ url: taskUrl, headers: { authorization: 'Bearer unknown' }, remoteAddress: '203.0.113.9' });
  await send({ url: taskUrl });
  await send({ url: taskUrl, headers: auditor });
  expect(refusedKeys.slice(before)).toEqual([['unknown', 'invalid_api_key', '203.0.113.9']]);
});

it('an operation learns from where a request came, for the audit log, with a user agent of at most 200 characters', async () => {
  const headers = { ...auth, 'user-agent': 'a'.repeat(1000), 'x-request-id': 'mine' };
  await send({ method: 'DELETE', url: taskUrl, headers, remoteAddress: '203.0.113.9' });
  expect(deletedFrom.at(-1)).toEqual({ address: '203.0.113.9', userAgent: 'a'.repeat(200), requestId: 'mine' });
});
