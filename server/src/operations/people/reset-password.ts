import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { makeSetupLink } from './make-setup-link.ts';
import { requirePersonId } from './require-person-id.ts';

/**
 * Returns a link with which a person sets a new password. The present password works until then, unless only the admin
 * of a project has invited the person: that admin may have set it. The operator now decides who gets the account.
 */
export async function resetPassword(
  { db, clock, consoleUrl }: { db: Pick<Database, 'transaction'>; clock: Clock; consoleUrl: string },
  operator: Operator,
  personId: string,
): Promise<string> {
  const now = clock.now();
  requirePersonId(personId);
  return db.transaction(async (tables) => {
    const found = await tables.people.lock(personId);
    if (!found) throw new AppError('not_found', { message: 'Person not found.' });
    if (found.person.disabledAt !== null)
      throw new AppError('invalid_parameter', { message: 'The person is disabled. Enable them first.' });
    if (found.invitedByProjectId !== null) {
      await tables.people.set(personId, { invitedByProjectId: null, passwordHash: null });
      await tables.consoleSessions.endAllOf(personId, now);
    }
    await recordAuditEvent(tables, operator, { action: 'person.password_reset', objectId: personId }, now);
    return makeSetupLink(tables, personId, consoleUrl, now);
  });
}
