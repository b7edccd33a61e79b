import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { makeSetupLink } from './make-setup-link.ts';
import { requirePersonId } from './require-person-id.ts';

/** Returns a link with which a person sets a new password. The present password works until then. */
export async function resetPassword(
  { db, clock, consoleUrl }: { db: Pick<Database, 'transaction'>; clock: Clock; consoleUrl: string },
  operator: Operator,
  personId: string,
): Promise<string> {
  const now = clock.now();
  requirePersonId(personId);
  return db.transaction(async (tables) => {
    // An operator decides who gets the link, so from now on the address is not only the word of a project's admin.
    const person = await tables.people.set(personId, { invitedByProjectId: null });
    if (!person) throw new AppError('not_found', { message: 'There is no such person.' });
    if (person.disabledAt !== null)
      throw new AppError('invalid_parameter', { message: 'The person is disabled. Enable them first.' });
    await recordAuditEvent(tables, operator, { action: 'person.password_reset', objectId: personId }, now);
    return makeSetupLink(tables, personId, consoleUrl, now);
  });
}
