import type { FoundKeyOfToken } from '../../db/access/find-key-by-id.ts';
import type { Database } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { isUsableSession, scopesOfPerson } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { type Authenticated, callerOfKey } from '../keys/authenticate.ts';
import type { AccessToken } from './access-tokens.ts';

/**
 * Returns the caller of a token whose signature is valid, and reads a task in the same statement, as `authenticateFor` does
 * for keys. The key, and the session with its person and their role, are read each time: the token dies with any of them.
 */
export async function authenticateToken(
  { db, clock }: { db: Pick<Database, 'apiKeys'>; clock: Clock },
  { token, taskId }: { token: AccessToken; taskId: string | null },
): Promise<Authenticated> {
  const found = await db.apiKeys.findById(token.keyId, { sessionId: token.sessionId, taskId });
  if (!found) throw invalidToken();
  const now = clock.now();
  if (found.revokedAt !== null) throw revoked('its API key was revoked');
  if (found.expiresAt !== null && found.expiresAt <= now) throw expiredToken();
  const caller = found.isOfPerson || token.sessionId !== null ? personOf(found, token, now) : programOf(found, token);
  return { caller, view: taskId === null ? undefined : found.view };
}

export function invalidToken(): AppError {
  return new AppError('invalid_api_key', { message: 'The token is not valid. Get a new one.' });
}

export function expiredToken(): AppError {
  return new AppError('expired_api_key', { message: 'The token has expired. Get a new one.' });
}

function programOf(found: FoundKeyOfToken, token: AccessToken): Caller {
  const ends = [token.expiresAt, ...(found.expiresAt ? [found.expiresAt] : [])];
  return {
    ...withToken(found, token),
    scopes: token.scopes.filter((scope) => found.scopes.includes(scope)),
    expiresAt: new Date(Math.min(...ends.map((end) => end.getTime()))),
  };
}

function personOf(found: FoundKeyOfToken, token: AccessToken, now: Date): Caller {
  const { session } = found;
  if (!session || token.sessionId === null || !isUsableSession(session, now)) throw revoked('its session has ended');
  const allowed = scopesOfPerson(session);
  return {
    ...withToken(found, token),
    scopes: token.scopes.filter((scope) => allowed.includes(scope)),
    person: { id: session.personId, sessionId: token.sessionId, signedInAt: session.signedInAt },
  };
}

function withToken(found: FoundKeyOfToken, { expiresAt, taskId }: AccessToken): Caller {
  return { ...callerOfKey(found), tokenExpiresAt: expiresAt, ...(taskId === null ? {} : { onlyTaskId: taskId }) };
}

function revoked(reason: string): AppError {
  return new AppError('revoked_api_key', { message: `The token no longer works: ${reason}.` });
}
