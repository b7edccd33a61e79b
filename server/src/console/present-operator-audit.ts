import type { AuditEvent } from '../domain/audit-event.ts';
import { presentAuditEvent } from '../http/present-audit-event.ts';

/** Returns an event as operators see it: with its project, the person and the command. */
export function presentOperatorAudit(event: AuditEvent) {
  const { actor, ...shown } = presentAuditEvent(event);
  const { personId, operator, command, projectId } = event;
  const origin = { address: event.address, user_agent: event.userAgent, request_id: event.requestId };
  return { ...shown, ...origin, project_id: projectId, actor: { ...actor, person_id: personId, operator, command } };
}
