import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { openSession } from './open-session.ts';
import type { Passwords } from './passwords.ts';
import type { RefusedSignIns } from './refused-sign-ins.ts';

interface Dependencies {
  db: Pick<Database, 'people' | 'transaction'>;
  clock: Clock;
  passwords: Passwords;
  refusedSignIns: RefusedSignIns;
  sessionHours: number;
}

/** Opens a session for the right password. All refusals take the same time, so none tells if an address is known. */
export async function signInWithPassword(
  { db, clock, passwords, refusedSignIns, sessionHours }: Dependencies,
  { email, password }: { email: string; password: string },
  origin: Origin,
): Promise<string> {
  const found = await db.people.findByEmail(email);
  const isRight = await passwords.verify(found?.passwordHash ?? null, password);
  if (!found || !isRight || found.person.disabledAt !== null) {
    refusedSignIns.note({ personId: found?.person.id ?? null, email, origin });
    throw new AppError('sign_in_failed');
  }
  const { person } = found;
  const now = clock.now();
  return db.transaction(async (tables) => {
    const { secret } = await openSession(tables, { person, method: 'password', origin, sessionHours, now });
    // Opening the session has locked the person's row. A password that was changed meanwhile must open nothing.
    if ((await tables.people.findPasswordHash(person.id)) !== found.passwordHash) throw new AppError('sign_in_failed');
    return secret;
  });
}
