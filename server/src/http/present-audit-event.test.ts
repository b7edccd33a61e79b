import { expect, it } from 'vitest';
import type { AuditEvent } from '../domain/audit-event.ts';
import { presentAuditEvent } from './present-audit-event.ts';

const event: AuditEvent = {
  id: 'aud_1',
  createdAt: new Date(0),
  action: 'api_key.created',
  keyId: null,
  personId: null,
  operator: null,
  command: null,
  objectId: null,
  projectId: 'proj_1',
  livemode: true,
  address: null,
  userAgent: null,
  requestId: null,
  detail: {},
};
const actorOf = (parts: Partial<AuditEvent>) => presentAuditEvent({ ...event, ...parts }).actor;

it('a project sees which of its members used the console, and of operators only that they are operators', () => {
  expect(actorOf({ keyId: 'key_1' })).toEqual({ type: 'api_key', key_id: 'key_1', person_id: null });
  expect(actorOf({ keyId: 'key_1', personId: 'person_1' })).toEqual({
    type: 'person',
    key_id: 'key_1',
    person_id: 'person_1',
  });
  expect(actorOf({ operator: 'ada@example.com', personId: 'person_1' })).toEqual({
    type: 'operator',
    key_id: null,
    person_id: null,
  });
  expect(actorOf({})).toEqual({ type: 'unknown', key_id: null, person_id: null });
});
