import type { Tables } from '../../db/database.ts';
import type { Actor, ConsoleUser } from '../../domain/actor.ts';
import type { AuditAction, AuditDetail, AuditEvent } from '../../domain/audit-event.ts';
import { newId } from '../../domain/id.ts';

export interface Recorded {
  action: AuditAction;
  objectId?: string | undefined;
  /** What the event belongs to; by default the actor's own project and mode. */
  of?: { projectId: string; livemode?: boolean | null | undefined } | undefined;
  detail?: AuditDetail | undefined;
}

/** Records what somebody does. Call it in the transaction of the change, so that neither exists without the other. */
export async function recordAuditEvent(
  { auditEvents }: Pick<Tables, 'auditEvents'>,
  actor: Actor | ConsoleUser,
  recorded: Recorded,
  now: Date,
): Promise<void> {
  await auditEvents.insert([auditEventOf(actor, recorded, now)]);
}

export function auditEventOf(
  actor: Actor | ConsoleUser,
  { action, objectId, of, detail = {} }: Recorded,
  now: Date,
): AuditEvent {
  const operator = 'operator' in actor ? actor : null;
  const holder = 'keyId' in actor ? actor : null;
  const owner = of ?? holder;
  const { origin } = actor;
  return {
    id: newId('aud', now, owner?.projectId ?? null),
    createdAt: now,
    action,
    keyId: holder?.keyId ?? null,
    personId: actor.person?.id ?? null,
    operator: operator?.operator ?? null,
    command: operator?.command ?? null,
    objectId: objectId ?? null,
    projectId: owner?.projectId ?? null,
    livemode: owner?.livemode ?? null,
    address: origin?.address ?? null,
    userAgent: origin?.userAgent ?? null,
    requestId: origin?.requestId ?? null,
    detail,
  };
}
