import type { Database, Tables } from '../../db/database.ts';
import type { ConsoleUser, Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ConsoleSession } from '../../domain/console-session.ts';
import { type GroupRole, type RolesFromGroups, rolesFromGroups } from '../../domain/group-roles.ts';
import { newId } from '../../domain/id.ts';
import { freshSignInMilliseconds, type Person } from '../../domain/person.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { followGroups } from './follow-groups.ts';
import { openSession } from './open-session.ts';

/** What the identity provider says about a person who has just signed in there. */
export interface ProvenIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
  groups: readonly string[];
  /** When the person last entered their credentials at the provider; null if it does not say. */
  authenticatedAt: Date | null;
}

/** Why somebody may not sign in here. `email_taken`: the address is of a person who signs in in another way. */
export type IdentityProblem = 'no_role' | 'email_not_verified' | 'email_taken' | 'disabled';

interface Dependencies {
  db: Pick<Database, 'transaction'>;
  clock: Clock;
  sessionHours: number;
  groupRoles: readonly GroupRole[];
}

/** Signs in whom the identity provider names, and lets their roles follow their groups. */
export async function signInWithOpenid(
  { db, clock, sessionHours, groupRoles }: Dependencies,
  identity: ProvenIdentity,
  origin: Origin,
): Promise<{ person: Person; session: ConsoleSession; secret: string } | { problem: IdentityProblem }> {
  const now = clock.now();
  const given = rolesFromGroups(identity.groups, groupRoles);
  return db.transaction(async (tables) => {
    const found = await findOrCreate(tables, identity, given, { person: null, origin }, now);
    if (typeof found === 'string') {
      const detail = { method: 'openid', reason: found, issuer: identity.issuer, subject: identity.subject };
      await recordAuditEvent(tables, { person: null, origin }, { action: 'person.sign_in_refused', detail }, now);
      return { problem: found };
    }
    const person = await followGroups(tables, found, given, { person: found, origin }, now);
    const opened = await openSession(tables, {
      person,
      method: 'openid',
      origin,
      sessionHours,
      now,
      signedInAt: provenAt(identity, now),
    });
    return { person, ...opened };
  });
}

/** When the person last entered credentials. Without an answer it may be an open browser, so it is not fresh. */
function provenAt({ authenticatedAt }: ProvenIdentity, now: Date): Date {
  if (authenticatedAt === null) return new Date(now.getTime() - freshSignInMilliseconds);
  return authenticatedAt < now ? authenticatedAt : now;
}

/** Only issuer and subject say who somebody is. The address counts once, for those who were invited by it. */
async function findOrCreate(
  tables: Tables,
  identity: ProvenIdentity,
  given: RolesFromGroups,
  actor: ConsoleUser,
  now: Date,
): Promise<Person | IdentityProblem> {
  const known = await tables.personIdentities.findPerson(identity);
  if (known) return known.disabledAt === null ? known : 'disabled';
  const { email } = identity;
  // An address that the provider has not verified could be anybody's.
  if (email === null || !identity.isEmailVerified) return 'email_not_verified';
  const owner = await tables.people.findByEmail(email);
  if (owner) return link(tables, owner.person, identity, actor, now);
  if (!given.isOperator && given.roles.size === 0) return 'no_role';
  const person: Person = {
    id: newId('person', now),
    email,
    name: identity.name ?? email,
    isOperator: false,
    createdAt: now,
    lastSignedInAt: null,
    disabledAt: null,
  };
  // The same person may sign in for the first time in two windows.
  if (!(await tables.people.insert(person, null)))
    return (await tables.personIdentities.findPerson(identity)) ?? 'email_taken';
  await tables.personIdentities.insert({ ...identity, personId: person.id });
  const detail = { email, issuer: identity.issuer, subject: identity.subject };
  await recordAuditEvent(tables, actor, { action: 'person.created', objectId: person.id, detail }, now);
  return person;
}

/** Links an identity to an invited person who never signed in. For all others the address alone opens nothing. */
async function link(
  tables: Tables,
  { id }: Person,
  identity: ProvenIdentity,
  actor: ConsoleUser,
  now: Date,
): Promise<Person | IdentityProblem> {
  const owner = await tables.people.lock(id);
  if (!owner || owner.passwordHash !== null || (await tables.personIdentities.hasAny(id))) return 'email_taken';
  if (owner.person.disabledAt !== null) return 'disabled';
  // The admin who invited the person may still have the link that sets a password.
  await tables.signInTokens.deleteOf(id);
  await tables.personIdentities.insert({ ...identity, personId: id });
  await tables.people.set(id, { invitedByProjectId: null });
  const detail = { issuer: identity.issuer, subject: identity.subject };
  await recordAuditEvent(tables, actor, { action: 'person.changed', objectId: id, detail }, now);
  return owner.person;
}
