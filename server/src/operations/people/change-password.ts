import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { requirePassword } from './confirm-sign-in.ts';
import type { Passwords } from './passwords.ts';

/** Changes a person's own password. Their other sessions and their one-time links end: one may be somebody else's. */
export async function changePassword(
  dependencies: { db: Pick<Database, 'people' | 'auditEvents' | 'transaction'>; clock: Clock; passwords: Passwords },
  signedIn: Pick<SignedIn, 'person' | 'session'>,
  { password, newPassword }: { password: string; newPassword: string },
  origin: Origin,
): Promise<void> {
  const { db, clock, passwords } = dependencies;
  const { person, session } = signedIn;
  await requirePassword(dependencies, signedIn, password, origin);
  const passwordHash = await passwords.hash(newPassword);
  const now = clock.now();
  await db.transaction(async (tables) => {
    await tables.people.setPassword(person.id, passwordHash);
    await tables.signInTokens.deleteOf(person.id);
    const ended = await tables.consoleSessions.endAllOf(person.id, now, { except: session.id });
    const recorded = {
      action: 'person.password_changed',
      objectId: person.id,
      detail: { ended_sessions: ended },
    } as const;
    await recordAuditEvent(tables, { person, origin }, recorded, now);
  });
}
