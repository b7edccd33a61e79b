import type { Person, ProjectRole } from './person.ts';

/** How a person proved who they are. */
export type SignInMethod = 'password' | 'openid' | 'development';

/** A browser in which a person is signed in. */
export interface ConsoleSession {
  id: string;
  personId: string;
  method: SignInMethod;
  createdAt: Date;
  /** When the person last proved who they are. */
  signedInAt: Date;
  /** Accurate to the minute. */
  lastUsedAt: Date;
  expiresAt: Date;
  address: string | null;
  userAgent: string | null;
}

/** A person who is signed in, and their roles at this moment. */
export interface SignedIn {
  session: ConsoleSession;
  person: Person;
  /** By project id. Operators are admins of all projects, also of those that are not in here. */
  roles: ReadonlyMap<string, ProjectRole>;
}

/** 24 hours: a session that is not used for this long ends, so that a forgotten browser does not stay signed in. */
export const idleMilliseconds = 24 * 3_600_000;

/** Returns the role of a person in a project; null for those who are not members of it. */
export function roleIn({ person, roles }: Pick<SignedIn, 'person' | 'roles'>, projectId: string): ProjectRole | null {
  return person.isOperator ? 'admin' : (roles.get(projectId) ?? null);
}
