import type { Membership } from '../db/access/project-member-table.ts';
import type { ConsoleSession, SignedIn } from '../domain/console-session.ts';
import { freshSignInMilliseconds } from '../domain/person.ts';
import { unixSeconds } from '../http/unix-seconds.ts';

/** Returns what a page knows about the person who is signed in. */
export function presentSignedIn({ person, session }: SignedIn, memberships: readonly Membership[]) {
  return {
    person: { id: person.id, email: person.email, name: person.name, is_operator: person.isOperator },
    projects: memberships.map(({ projectId, name, role, isSuspended }) => ({
      id: projectId,
      name,
      role,
      is_suspended: isSuspended,
    })),
    session: {
      id: session.id,
      method: session.method,
      signed_in_at: unixSeconds(session.signedInAt),
      fresh_until: unixSeconds(new Date(session.signedInAt.getTime() + freshSignInMilliseconds)),
      expires_at: unixSeconds(session.expiresAt),
    },
  };
}

/** Returns one of a person's sessions. */
export function presentSession(session: ConsoleSession, currentId: string) {
  return {
    id: session.id,
    method: session.method,
    created_at: unixSeconds(session.createdAt),
    last_used_at: unixSeconds(session.lastUsedAt),
    expires_at: unixSeconds(session.expiresAt),
    address: session.address,
    user_agent: session.userAgent,
    is_current: session.id === currentId,
  };
}
