import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { openSession, sha256OfSecret } from './open-session.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  db: Pick<Database, 'signInTokens' | 'transaction'>;
  clock: Clock;
  passwords: Passwords;
  sessionHours: number;
}

/** Sets the password of a link's person, ends their sessions and opens one for its holder; returns its secret. */
export async function setPasswordByLink(
  { db, clock, passwords, sessionHours }: Dependencies,
  { token, password }: { token: string; password: string },
  origin: Origin,
): Promise<string> {
  const sha256 = sha256OfSecret(token);
  // A hash is expensive, so made-up links get none. The transaction below decides.
  const link = await db.signInTokens.find(sha256, clock.now());
  if (!link || link.personId === null) throw new AppError('sign_in_link_invalid');
  const { personId } = link;
  const passwordHash = await passwords.hash(password);
  const now = clock.now();
  return db.transaction(async (tables) => {
    // The person is locked before their links, as in every other operation, so that two of them never deadlock.
    const person = (await tables.people.lock(personId))?.person;
    if (!person || person.disabledAt !== null || (await tables.signInTokens.takeOfPerson(sha256, now)) === null)
      throw new AppError('sign_in_link_invalid');
    await tables.people.setPassword(person.id, passwordHash);
    const ended = await tables.consoleSessions.endAllOf(person.id, now);
    const detail = { by_link: true, ended_sessions: ended };
    const recorded = { action: 'person.password_changed', objectId: person.id, detail } as const;
    await recordAuditEvent(tables, { person, origin }, recorded, now);
    const { secret } = await openSession(tables, { person, method: 'password', origin, sessionHours, now });
    return secret;
  });
}
