import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import type { Person } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { newSecret, openSession, sha256OfSecret } from './open-session.ts';
import type { Passwords } from './passwords.ts';

/** 24 hours: the person who installs the service opens the link on the same day. */
const linkMilliseconds = 24 * 3_600_000;

/**
 * A link that makes the first operator; null if one is enabled. Its secret is in the fragment, which browsers do not
 * send, so no proxy logs it. Several processes may each have made one; the first that is used ends all.
 */
export async function makeFirstOperatorLink(
  { db, clock }: { db: Pick<Database, 'people' | 'signInTokens'>; clock: Clock },
  consoleUrl: string,
): Promise<string | null> {
  if (await db.people.hasOperator()) return null;
  const secret = newSecret();
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + linkMilliseconds);
  await db.signInTokens.insert({ sha256: sha256OfSecret(secret), personId: null, createdAt: now, expiresAt });
  return `${consoleUrl.replace(/\/+$/, '')}/welcome#token=${secret}`;
}

interface Dependencies {
  db: Pick<Database, 'signInTokens' | 'transaction'>;
  clock: Clock;
  passwords: Passwords;
  sessionHours: number;
}

/** Makes the holder of the link the first operator and opens a session for them. Returns its secret. */
export async function makeFirstOperator(
  { db, clock, passwords, sessionHours }: Dependencies,
  { token, email, name, password }: { token: string; email: string; name: string; password: string },
  origin: Origin,
): Promise<string> {
  const sha256 = sha256OfSecret(token);
  // A hash is expensive, so made-up links get none. The transaction below decides.
  if (!(await db.signInTokens.find(sha256, clock.now()))) throw new AppError('sign_in_link_invalid');
  const passwordHash = await passwords.hash(password);
  const now = clock.now();
  return db.transaction(async (tables) => {
    const isValid = await tables.signInTokens.takeFirstOperator(sha256, now);
    if (!isValid || (await tables.people.hasOperator())) throw new AppError('sign_in_link_invalid');
    const person: Person = {
      id: newId('person', now),
      email,
      name,
      isOperator: true,
      createdAt: now,
      lastSignedInAt: null,
      disabledAt: null,
    };
    if (!(await tables.people.insert(person, passwordHash))) {
      const message = 'Another person already has this e-mail address. Use a different one.';
      throw new AppError('invalid_parameter', { message, param: 'email' });
    }
    const detail = { email, is_operator: true, is_first_operator: true };
    await recordAuditEvent(tables, { person, origin }, { action: 'person.created', objectId: person.id, detail }, now);
    const { secret } = await openSession(tables, { person, method: 'password', origin, sessionHours, now });
    return secret;
  });
}
