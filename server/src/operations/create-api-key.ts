import type { Database } from '../db/database.ts';
import { generateApiKey } from '../domain/api-key.ts';
import { scopes as allScopes, type Scope } from '../domain/caller.ts';
import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/id.ts';
import { hashApiKey } from './authenticate.ts';

interface NewApiKey {
  projectId: string;
  livemode: boolean;
  name: string;
  scopes?: readonly Scope[] | undefined;
  expiresAt?: Date | undefined;
}

/** Makes a key. Its text is in the answer and nowhere else. */
export async function createApiKey(
  { db, clock }: { db: Database; clock: Clock },
  options: NewApiKey,
): Promise<{ id: string; key: string }> {
  const now = clock.now();
  const key = generateApiKey(options.livemode);
  const id = newId('key', now);
  await db.apiKeys.insert(
    {
      id,
      projectId: options.projectId,
      livemode: options.livemode,
      name: options.name,
      scopes: options.scopes ?? allScopes,
      prefix: key.slice(0, 'kin_live_'.length),
      lastFour: key.slice(-4),
      createdAt: now,
      expiresAt: options.expiresAt ?? null,
      revokedAt: null,
    },
    hashApiKey(key),
  );
  return { id, key };
}
