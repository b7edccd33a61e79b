import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import { noSuchKey } from './rotate-api-key.ts';

/** Refuses a key from now on, in every process, for good. Can be repeated. Without an owner, for operators, any key. */
export async function revokeApiKey(
  { db, clock }: { db: Database; clock: Clock },
  { keyId, owner }: { keyId: string; owner?: { projectId: string; livemode: boolean } | undefined },
): Promise<void> {
  const isRevoked = uuidFromId('key', keyId) !== null && (await db.apiKeys.revoke(keyId, clock.now(), owner));
  if (!isRevoked) throw noSuchKey();
}
