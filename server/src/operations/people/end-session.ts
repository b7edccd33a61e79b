import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

/** Ends a session at once, with the tokens that it made. People end their own sessions, operators also those of others. */
export async function endSession(
  { db, clock }: { db: Pick<Database, 'transaction'>; clock: Clock },
  { person }: Pick<SignedIn, 'person'>,
  sessionId: string,
  origin: Origin,
): Promise<void> {
  const now = clock.now();
  if (uuidFromId('sess', sessionId) === null) throw new AppError('not_found');
  await db.transaction(async (tables) => {
    const session = await tables.consoleSessions.find(sessionId, now);
    const mayEnd = session && (session.personId === person.id || person.isOperator);
    if (!mayEnd || !(await tables.consoleSessions.end(sessionId, now))) throw new AppError('not_found');
    const detail = { person_id: session.personId };
    await recordAuditEvent(tables, { person, origin }, { action: 'session.ended', objectId: sessionId, detail }, now);
  });
}
