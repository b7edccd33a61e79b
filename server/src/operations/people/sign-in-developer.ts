import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import type { Person } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { openSession } from './open-session.ts';

const email = 'developer@localhost';

/** Opens a session for the operator of a development server, without a password, and returns its secret. Only development servers may offer this. */
export async function signInDeveloper(
  { db, clock, sessionHours }: { db: Pick<Database, 'transaction'>; clock: Clock; sessionHours: number },
  origin: Origin,
): Promise<string> {
  const now = clock.now();
  return db.transaction(async (tables) => {
    const made: Person = {
      id: newId('person', now),
      email,
      name: 'Developer',
      isOperator: true,
      createdAt: now,
      lastSignedInAt: null,
      disabledAt: null,
    };
    if (await tables.people.insert(made, null))
      await recordAuditEvent(
        tables,
        { person: made, origin },
        { action: 'person.created', objectId: made.id, detail: { email, is_operator: true } },
        now,
      );
    const found = await tables.people.findByEmail(email);
    if (!found || found.person.disabledAt !== null) throw new AppError('sign_in_failed');
    const { person } = found;
    const { secret } = await openSession(tables, { person, method: 'development', origin, sessionHours, now });
    return secret;
  });
}
