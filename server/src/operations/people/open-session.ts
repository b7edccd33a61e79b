import { createHash } from 'node:crypto';
import type { Tables } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { ConsoleSession, SignInMethod } from '../../domain/console-session.ts';
import { newId } from '../../domain/id.ts';
import type { Person } from '../../domain/person.ts';
import { random } from '../../domain/random.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

/** Returns a new secret for a cookie or a one-time link. Only its hash is stored. */
export function newSecret(): string {
  return random.bytes(32).toString('base64url');
}

export function sha256OfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Opens a session for a person who has proved who they are. Call it in the transaction of what else the sign-in does. */
export async function openSession(
  tables: Pick<Tables, 'people' | 'consoleSessions' | 'auditEvents'>,
  {
    person,
    method,
    origin,
    sessionHours,
    now,
    signedInAt = now,
  }: {
    person: Person;
    method: SignInMethod;
    origin: Origin;
    sessionHours: number;
    now: Date;
    /** When the person proved who they are, if that was earlier. */
    signedInAt?: Date | undefined;
  },
): Promise<{ session: ConsoleSession; secret: string }> {
  const secret = newSecret();
  const session: ConsoleSession = {
    id: newId('sess', now),
    personId: person.id,
    method,
    createdAt: now,
    signedInAt,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + sessionHours * 3_600_000),
    address: origin.address,
    userAgent: origin.userAgent,
  };
  await tables.consoleSessions.insert(session, sha256OfSecret(secret));
  // An operator may have disabled the person since the password was checked.
  if (!(await tables.people.noteSignIn(person.id, now))) throw new AppError('sign_in_failed');
  await recordAuditEvent(
    tables,
    { person, origin },
    { action: 'person.signed_in', objectId: person.id, detail: { method, session_id: session.id } },
    now,
  );
  return { session, secret };
}
