import { createHash } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { parseApiKey } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';

/** Returns the caller that a key belongs to. A mistyped key is refused by its checksum, without a query. */
export async function authenticate(
  { db, clock }: { db: Database; clock: Clock },
  key: string,
  sha256 = hashApiKey(key),
): Promise<Caller> {
  if (!parseApiKey(key)) throw new AppError('invalid_api_key');
  const found = await db.apiKeys.findByHash(sha256);
  if (!found) throw new AppError('invalid_api_key');
  if (found.revokedAt !== null) throw new AppError('revoked_api_key');
  if (found.expiresAt !== null && found.expiresAt <= clock.now()) throw new AppError('expired_api_key');
  return {
    keyId: found.id,
    projectId: found.projectId,
    livemode: found.livemode,
    scopes: found.scopes,
    expiresAt: found.expiresAt,
    isSuspended: found.isProjectSuspended,
    limits: found.limits,
  };
}

/** Keys have 178 bits of randomness, so a plain hash is enough: there is nothing to guess. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
