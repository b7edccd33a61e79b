import type { Database } from '../../db/database.ts';
import { scopes as allScopes, type Caller, type Scope, scopesToName } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { createApiKey, type IssuedApiKey } from './create-api-key.ts';

export interface GrantedKey {
  name: string;
  /** Defaults to the caller's scopes, without those that must be named. */
  scopes?: readonly Scope[] | undefined;
  /** Defaults to the end of the caller's key. */
  expiresAt?: Date | undefined;
}

/** Creates a key of the caller's project and mode that can do no more than the caller, and for no longer. */
export async function grantApiKey(
  dependencies: { db: Database; clock: Clock },
  caller: Caller,
  { name, scopes = defaultScopes(caller), expiresAt }: GrantedKey,
): Promise<IssuedApiKey> {
  refuseLackingScopes(caller, scopes, 'grant');
  if (expiresAt && outlives(caller, expiresAt)) {
    throw refusal(
      'invalid_parameter',
      'expires_at',
      'too_big',
      'expires_at must not be later than the end of the API key that creates the new one',
    );
  }
  const { projectId, livemode } = caller;
  return createApiKey(dependencies, caller, {
    projectId,
    livemode,
    name,
    // Sorts the scopes and removes duplicates.
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    expiresAt: expiresAt ?? caller.expiresAt,
  });
}

/** Returns the scopes that a new key or token gets if none are named. Throws if there would be none. */
export function defaultScopes(caller: Pick<Caller, 'scopes'>): readonly Scope[] {
  const granted = caller.scopes.filter((scope) => !scopesToName.includes(scope));
  if (granted.length > 0) return granted;
  const message = 'scopes is required: the API key has no scopes that are granted by default';
  throw refusal('missing_parameter', 'scopes', 'missing', message);
}

/** Returns whether a key with this expiry would work for longer than the caller's key. */
export function outlives(caller: Pick<Caller, 'expiresAt'>, expiresAt: Date | null): boolean {
  return caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt);
}

/** Throws if the caller lacks one of the scopes: a key has no power over keys that can do more than it can. */
export function refuseLackingScopes(
  caller: Pick<Caller, 'scopes'>,
  scopes: readonly Scope[],
  action: 'grant' | 'revoke',
): void {
  const lacking = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  const reason = action === 'grant' ? 'grant scopes that it lacks' : 'revoke a key with scopes that it lacks';
  throw new AppError('insufficient_scope', {
    message: `The API key cannot ${reason}: ${[...new Set(lacking)].join(', ')}.`,
  });
}

function refusal(
  error: 'missing_parameter' | 'invalid_parameter',
  param: string,
  code: string,
  message: string,
): AppError {
  return new AppError(error, { message, param, details: [{ param, code, message }] });
}
