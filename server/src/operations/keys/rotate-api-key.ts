import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { type IssuedApiKey, issueApiKey, requireAccepted } from './create-api-key.ts';
import { findOwnKey } from './find-own-key.ts';
import { outlives, refuseLackingScopes } from './grant-api-key.ts';

/**
 * Creates a new key with the name, scopes and expiry of an old one. Both work until the overlap ends. Operators can
 * rotate any key. A caller can rotate only keys that can do no more than its own, and for no longer.
 */
export async function rotateApiKey(
  { db, clock }: { db: Database; clock: Clock },
  { keyId, overlapSeconds, actor }: { keyId: string; overlapSeconds: number; actor: Caller | Operator },
): Promise<IssuedApiKey> {
  const now = clock.now();
  const caller = 'operator' in actor ? null : actor;
  return db.transaction(async (tables) => {
    const old = await findOwnKey(tables, keyId, caller);
    await requireAccepted(tables, actor, now);
    if (caller) refuseLackingScopes(caller, old.scopes, 'grant');
    if (old.revokedAt !== null) throw cannotRotate('was revoked');
    if (old.expiresAt !== null && old.expiresAt <= now) throw cannotRotate('has expired');
    if (caller && outlives(caller, old.ownExpiresAt)) throw cannotRotate('outlives the API key of the request');
    await tables.apiKeys.endOverlapAt(keyId, new Date(now.getTime() + overlapSeconds * 1000));
    const { projectId, livemode, name, scopes, ownExpiresAt: expiresAt } = old;
    const made = await issueApiKey(tables, actor, { projectId, livemode, name, scopes, expiresAt }, now);
    const detail = { new_key_id: made.id, overlap_seconds: overlapSeconds };
    const event = { action: 'api_key.rotated', objectId: keyId, of: { projectId, livemode }, detail } as const;
    await recordAuditEvent(tables, actor, event, now);
    return made;
  });
}

function cannotRotate(reason: string): AppError {
  return new AppError('invalid_parameter', {
    param: 'key_id',
    message: `The API key ${reason} and cannot be rotated. Create a new one.`,
  });
}
