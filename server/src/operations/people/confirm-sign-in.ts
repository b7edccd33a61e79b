import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  db: Pick<Database, 'people' | 'auditEvents' | 'transaction'>;
  clock: Clock;
  passwords: Passwords;
  /** Whether sessions of the developer, who has no password, may be confirmed without one. */
  letsDevelopersIn: boolean;
}

/** Makes a sign-in fresh: the person has proved again who they are. */
export async function confirmSignIn(
  { db, clock, passwords, letsDevelopersIn }: Dependencies,
  { person, session }: Pick<SignedIn, 'person' | 'session'>,
  password: string,
  origin: Origin,
): Promise<void> {
  const { method } = session;
  const isDeveloper = method === 'development' && letsDevelopersIn;
  if (!isDeveloper) await requirePassword({ db, clock, passwords }, { person, session }, password, origin);
  const now = clock.now();
  await db.transaction(async (tables) => {
    await tables.consoleSessions.confirm(session.id, now);
    const detail = { method, session_id: session.id, is_confirmation: true };
    await recordAuditEvent(
      tables,
      { person, origin },
      { action: 'person.signed_in', objectId: person.id, detail },
      now,
    );
  });
}

/** Throws unless the password is that of the person who is signed in. */
export async function requirePassword(
  { db, clock, passwords }: Pick<Dependencies, 'db' | 'clock' | 'passwords'>,
  { person, session }: Pick<SignedIn, 'person' | 'session'>,
  password: string,
  origin: Origin,
): Promise<void> {
  if (await passwords.verify(await db.people.findPasswordHash(person.id), password)) return;
  const detail = { method: 'password', session_id: session.id, is_confirmation: true };
  await recordAuditEvent(
    db,
    { person, origin },
    { action: 'person.sign_in_refused', objectId: person.id, detail },
    clock.now(),
  );
  throw new AppError('sign_in_failed', { message: 'The password is wrong.' });
}
