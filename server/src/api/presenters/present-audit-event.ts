import type { AuditEvent } from '../../domain/audit-event.ts';
import type { PublicAuditEvent } from '../schemas/audit-event-schema.ts';

/** Returns an event as the project sees it: an operator's name and command are not shown. */
export function presentAuditEvent(event: AuditEvent): PublicAuditEvent {
  const { keyId, operator } = event;
  return {
    id: event.id,
    object: 'audit_event',
    created_at: Math.floor(event.createdAt.getTime() / 1000),
    livemode: event.livemode,
    action: event.action,
    actor: { type: operator === null ? (keyId === null ? 'unknown' : 'api_key') : 'operator', key_id: keyId },
    object_id: event.objectId,
    address: event.address,
    user_agent: event.userAgent,
    request_id: event.requestId,
    detail: { ...event.detail },
  };
}
