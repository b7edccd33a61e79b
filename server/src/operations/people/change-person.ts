import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Person } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { type Recorded, recordAuditEvent } from '../audit/record-audit-event.ts';
import { requirePersonId } from './require-person-id.ts';
import { unverifiedAddress } from './unverified-address.ts';

export interface PersonChange {
  name?: string | undefined;
  isOperator?: boolean | undefined;
  isDisabled?: boolean | undefined;
}

/** Changes a person. A disabled person is signed out everywhere at once, and their links stop working. */
export async function changePerson(
  { db, clock }: { db: Pick<Database, 'transaction'>; clock: Clock },
  operator: Operator,
  personId: string,
  { name, isOperator, isDisabled }: PersonChange,
): Promise<Person> {
  const now = clock.now();
  requirePersonId(personId);
  // Nobody locks themselves out by a slip, so there is always an operator left.
  if (operator.person?.id === personId && (isOperator === false || isDisabled))
    throw new AppError('invalid_parameter', { message: 'You cannot do this to yourself. Ask another operator.' });
  return db.transaction(async (tables) => {
    if (operator.person && (isOperator === false || isDisabled)) {
      // Two operators who take the role from each other at once would leave none.
      const operators = await tables.people.lockOperators();
      if (!operators.includes(operator.person.id)) throw new AppError('insufficient_role');
    }
    const before = await tables.people.lock(personId);
    if (!before) throw new AppError('not_found', { message: 'Person not found.' });
    if (isOperator && before.invitedByProjectId !== null) throw unverifiedAddress('is_operator');
    const wasDisabled = before.person.disabledAt !== null;
    const isSwitched = isDisabled !== undefined && isDisabled !== wasDisabled;
    const person = await tables.people.set(personId, {
      name,
      isOperator,
      disabledAt: isSwitched ? (isDisabled ? now : null) : undefined,
    });
    if (isSwitched && isDisabled) {
      await tables.consoleSessions.endAllOf(personId, now);
      await tables.signInTokens.deleteOf(personId);
    }
    const events: Recorded[] = [];
    if (isSwitched) events.push({ action: isDisabled ? 'person.disabled' : 'person.enabled' });
    if (name !== undefined || isOperator !== undefined) {
      const named = name === undefined ? {} : { name };
      const granted = isOperator === undefined ? {} : { is_operator: isOperator };
      events.push({ action: 'person.changed', detail: { ...named, ...granted } });
    }
    for (const event of events) await recordAuditEvent(tables, operator, { ...event, objectId: personId }, now);
    return person ?? before.person;
  });
}
