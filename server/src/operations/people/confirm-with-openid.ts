import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { type GroupRole, rolesFromGroups } from '../../domain/group-roles.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { followGroups } from './follow-groups.ts';
import type { ProvenIdentity } from './sign-in-with-openid.ts';

/** Makes a session fresh after its person entered credentials at the provider; false if it was another person. */
export async function confirmWithOpenid(
  { db, clock, groupRoles }: { db: Pick<Database, 'transaction'>; clock: Clock; groupRoles: readonly GroupRole[] },
  { person, session }: Pick<SignedIn, 'person' | 'session'>,
  identity: ProvenIdentity,
  origin: Origin,
): Promise<boolean> {
  const now = clock.now();
  return db.transaction(async (tables) => {
    const proven = await tables.personIdentities.findPerson(identity);
    if (proven?.id !== person.id || proven.disabledAt !== null) return false;
    // The provider has just said which groups the person is in, as at a sign-in.
    await followGroups(tables, proven, rolesFromGroups(identity.groups, groupRoles), { person, origin }, now);
    await tables.consoleSessions.confirm(session.id, now);
    const detail = { method: 'openid', session_id: session.id, is_confirmation: true };
    await recordAuditEvent(
      tables,
      { person, origin },
      { action: 'person.signed_in', objectId: person.id, detail },
      now,
    );
    return true;
  });
}
