import type { Database } from '../../db/database.ts';
import { scopes as allScopes, type Caller, type Scope } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { defaultScopes, refuseLackingScopes } from '../keys/grant-api-key.ts';
import { findOwnTask } from '../tasks/read-task.ts';
import type { AccessTokens } from './access-tokens.ts';

export interface GrantedToken {
  /** Defaults to the caller's scopes, without those that must be named. */
  scopes?: readonly Scope[] | undefined;
  /** The only task that the token is for; null if it is for all. */
  taskId: string | null;
  seconds: number;
}

export interface IssuedToken {
  text: string;
  scopes: readonly Scope[];
  taskId: string | null;
  expiresAt: Date;
}

/** Issues a token for the caller's key that can do no more than the key, and for no longer. */
export async function grantAccessToken(
  { db, accessTokens, clock }: { db: Database; accessTokens: AccessTokens; clock: Clock },
  caller: Caller,
  { scopes: named, taskId, seconds }: GrantedToken,
): Promise<IssuedToken> {
  // A token that could make tokens would never expire.
  if (caller.tokenExpiresAt !== undefined) {
    throw new AppError('insufficient_scope', { message: 'A token cannot create tokens. Use an API key.' });
  }
  const scopes = named ?? defaultScopes(caller);
  refuseLackingScopes(caller, scopes, 'grant');
  if (taskId !== null) await findOwnTask({ db }, caller, taskId);
  const latest = Math.floor(clock.now().getTime() / 1000 + seconds) * 1000;
  const token = {
    // Sorts the scopes and removes duplicates.
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    taskId,
    expiresAt: new Date(Math.min(latest, caller.expiresAt?.getTime() ?? latest)),
  };
  return { ...token, text: accessTokens.issue({ ...token, keyId: caller.keyId, sessionId: null }) };
}
