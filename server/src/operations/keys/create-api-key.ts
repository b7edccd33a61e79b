import type { ApiKey } from '../../db/api-keys.ts';
import type { Tables } from '../../db/database.ts';
import { generateApiKey } from '../../domain/api-key.ts';
import { scopes as allScopes, type Scope } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import { hashApiKey } from './authenticate.ts';

interface NewApiKey {
  projectId: string;
  livemode: boolean;
  name: string;
  scopes?: readonly Scope[] | undefined;
  expiresAt?: Date | null | undefined;
}

/** A key that was just created, with its text. */
export type IssuedApiKey = ApiKey & { key: string };

/** Creates a key. Its text is in the result and nowhere else: only its hash is stored. */
export async function createApiKey(
  { db, clock }: { db: Pick<Tables, 'apiKeys'>; clock: Clock },
  options: NewApiKey,
): Promise<IssuedApiKey> {
  const now = clock.now();
  const key = generateApiKey(options.livemode);
  const made: ApiKey = {
    id: newId('key', now),
    projectId: options.projectId,
    livemode: options.livemode,
    name: options.name,
    scopes: options.scopes ?? allScopes,
    prefix: key.slice(0, 'kin_live_'.length),
    lastFour: key.slice(-4),
    createdAt: now,
    expiresAt: options.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await db.apiKeys.insert(made, hashApiKey(key));
  return { ...made, key };
}
