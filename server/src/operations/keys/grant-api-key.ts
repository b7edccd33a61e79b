import type { Database } from '../../db/database.ts';
import { scopes as allScopes, type Caller, type Scope } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { createApiKey, type IssuedApiKey } from './create-api-key.ts';

export interface GrantedKey {
  name: string;
  /** Defaults to the caller's scopes. */
  scopes?: readonly Scope[] | undefined;
  expiresAt?: Date | undefined;
}

/** Creates a key of the caller's project and mode that can do no more than the caller. */
export async function grantApiKey(
  dependencies: { db: Database; clock: Clock },
  caller: Caller,
  { name, scopes = caller.scopes, expiresAt }: GrantedKey,
): Promise<IssuedApiKey> {
  refuseLackingScopes(caller, scopes);
  const { projectId, livemode } = caller;
  // Sorts the scopes and removes duplicates.
  const granted = allScopes.filter((scope) => scopes.includes(scope));
  return createApiKey(dependencies, { projectId, livemode, name, scopes: granted, expiresAt });
}

/** Throws if the caller lacks one of the scopes: a key may never grant more than it has. */
export function refuseLackingScopes(caller: Pick<Caller, 'scopes'>, scopes: readonly Scope[]): void {
  const lacking = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new AppError('insufficient_scope', {
    message: `The API key cannot grant what it lacks: ${[...new Set(lacking)].join(', ')}.`,
  });
}
