import type { ApiKey } from '../../db/access/api-key-table.ts';
import { unixSeconds } from '../../http/unix-seconds.ts';
import type { PublicApiKey } from '../schemas/api-key-schema.ts';

/** Returns a key as callers see it, without its text and its hash. */
export function presentApiKey(key: ApiKey): PublicApiKey {
  return {
    id: key.id,
    object: 'api_key',
    name: key.name,
    livemode: key.livemode,
    scopes: [...key.scopes],
    prefix: key.prefix,
    last_four: key.lastFour,
    created_at: unixSeconds(key.createdAt),
    expires_at: key.expiresAt && unixSeconds(key.expiresAt),
    revoked_at: key.revokedAt && unixSeconds(key.revokedAt),
    last_used_at: key.lastUsedAt && unixSeconds(key.lastUsedAt),
    created_by_key_id: key.createdByKeyId,
  };
}
