import type { Database } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';
import { createApiKey, type IssuedApiKey } from './create-api-key.ts';
import { refuseLackingScopes } from './grant-api-key.ts';

/**
 * Creates a new key with the name, scopes and expiry of an old one. Both work until the overlap ends. Operators pass no
 * caller and can rotate any key.
 */
export async function rotateApiKey(
  { db, clock }: { db: Database; clock: Clock },
  { keyId, overlapSeconds, caller }: { keyId: string; overlapSeconds: number; caller: Caller | null },
): Promise<IssuedApiKey> {
  if (uuidFromId('key', keyId) === null) throw noSuchKey();
  const now = clock.now();
  return db.transaction(async (tables) => {
    const old = await tables.apiKeys.lock(keyId);
    if (!old || (caller && (old.projectId !== caller.projectId || old.livemode !== caller.livemode))) throw noSuchKey();
    if (caller) refuseLackingScopes(caller, old.scopes);
    if (old.revokedAt !== null) throw cannotRotate('was revoked');
    if (old.expiresAt !== null && old.expiresAt <= now) throw cannotRotate('has expired');
    await tables.apiKeys.endOverlapAt(keyId, new Date(now.getTime() + overlapSeconds * 1000));
    return createApiKey({ db: tables, clock }, { ...old, expiresAt: old.ownExpiresAt });
  });
}

export function noSuchKey(): AppError {
  return new AppError('not_found', { message: 'There is no key with this id.' });
}

function cannotRotate(reason: string): AppError {
  return new AppError('invalid_parameter', {
    param: 'key_id',
    message: `The API key ${reason} and cannot be rotated. Create a new one.`,
  });
}
