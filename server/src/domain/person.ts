import { type Scope, scopes } from './caller.ts';

/** What a person may do in one project. Operators are admins of every project. */
export const projectRoles = ['viewer', 'developer', 'admin'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** The longest address that mail can be sent to. */
export const longestEmail = 254;
export const longestName = 100;

/** Somebody who uses the console. */
export interface Person {
  id: string;
  email: string;
  name: string;
  isOperator: boolean;
  createdAt: Date;
  lastSignedInAt: Date | null;
  disabledAt: Date | null;
}

const scopesOfRole: Readonly<Record<ProjectRole, readonly Scope[]>> = {
  viewer: ['videos:read', 'usage:read'],
  developer: ['videos:read', 'videos:write', 'files:write', 'usage:read', 'webhooks:manage'],
  admin: scopes,
};

/** Returns the scopes of a person in a project; none for those who are not members of it. */
export function scopesOfPerson({
  isOperator,
  role,
}: {
  isOperator: boolean;
  role: ProjectRole | null;
}): readonly Scope[] {
  if (isOperator) return scopesOfRole.admin;
  return role === null ? [] : scopesOfRole[role];
}

/** What gives others lasting access or cannot be undone needs a recent sign-in: a browser may be left unattended. */
export const freshSignInMilliseconds = 10 * 60_000;

/** Returns whether a sign-in is recent enough for keys, deletions and drains. */
export function isFreshSignIn(signedInAt: Date, now: Date): boolean {
  return now.getTime() - signedInAt.getTime() < freshSignInMilliseconds;
}

/** A session in the console, and what its person is in one project. */
export interface ProjectSession {
  expiresAt: Date;
  endedAt: Date | null;
  isPersonDisabled: boolean;
  isOperator: boolean;
  /** Null if the person is not a member of the project. */
  role: ProjectRole | null;
}

/** Returns whether a session lets its person act in the project at a moment. */
export function isUsableSession(session: ProjectSession, at: Date): boolean {
  const { endedAt, expiresAt, isPersonDisabled } = session;
  return endedAt === null && expiresAt > at && !isPersonDisabled && scopesOfPerson(session).length > 0;
}
