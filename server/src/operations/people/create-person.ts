import type { Database, Tables } from '../../db/database.ts';
import type { ConsoleUser, Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import type { Person } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { makeSetupLink } from './make-setup-link.ts';

interface Wanted {
  email: string;
  name?: string | undefined;
  isOperator: boolean;
  /** The project whose admin invites the person; null if an operator does. */
  invitedByProjectId: string | null;
}

/** Makes a person who can sign in with the identity provider, or set a password with the link that is returned. */
export async function createPerson(
  { db, clock, consoleUrl }: { db: Pick<Database, 'transaction'>; clock: Clock; consoleUrl: string },
  operator: Operator,
  wanted: Omit<Wanted, 'invitedByProjectId'>,
): Promise<{ person: Person; setupUrl: string }> {
  return db.transaction(async (tables) => {
    const made = await createWithin(tables, operator, { ...wanted, invitedByProjectId: null }, consoleUrl, clock.now());
    if (!made)
      throw new AppError('invalid_parameter', {
        param: 'email',
        message: 'Another person already has this e-mail address.',
      });
    return made;
  });
}

/** Makes a person inside a transaction; null if the address is taken. */
export async function createWithin(
  tables: Tables,
  actor: Operator | ConsoleUser,
  { email, name, isOperator, invitedByProjectId }: Wanted,
  consoleUrl: string,
  now: Date,
): Promise<{ person: Person; setupUrl: string } | null> {
  const person: Person = {
    id: newId('person', now),
    email,
    name: name ?? email,
    isOperator,
    createdAt: now,
    lastSignedInAt: null,
    disabledAt: null,
  };
  if (!(await tables.people.insert(person, null))) return null;
  await tables.people.set(person.id, { invitedByProjectId });
  const of = invitedByProjectId === null ? undefined : { projectId: invitedByProjectId };
  const detail = { email, is_operator: isOperator };
  await recordAuditEvent(tables, actor, { action: 'person.created', objectId: person.id, of, detail }, now);
  return { person, setupUrl: await makeSetupLink(tables, person.id, consoleUrl, now) };
}
