import type { AuditEvent } from '../domain/audit-event.ts';
import type { PublicAuditEvent } from './audit-event-schema.ts';

/** Returns an event as the project sees it: who an operator is, and where they are, is not shown. */
export function presentAuditEvent(event: AuditEvent): PublicAuditEvent {
  const isOperator = event.operator !== null;
  return {
    id: event.id,
    object: 'audit_event',
    created_at: Math.floor(event.createdAt.getTime() / 1000),
    livemode: event.livemode,
    action: event.action,
    actor: actorOf(event),
    object_id: event.objectId,
    address: isOperator ? null : event.address,
    user_agent: isOperator ? null : event.userAgent,
    request_id: isOperator ? null : event.requestId,
    detail: { ...event.detail },
  };
}

/** Operators who use the console stay operators: the project does not see who they are. */
function actorOf({ keyId, personId, operator }: AuditEvent): PublicAuditEvent['actor'] {
  if (operator !== null) return { type: 'operator', key_id: keyId, person_id: null };
  if (personId !== null) return { type: 'person', key_id: keyId, person_id: personId };
  return { type: keyId === null ? 'unknown' : 'api_key', key_id: keyId, person_id: null };
}
