import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import { noSuchKey } from './rotate-api-key.ts';

/** Revokes a key in every process, for good. Can be repeated. Operators pass no owner and can revoke any key. */
export async function revokeApiKey(
  { db, clock }: { db: Database; clock: Clock },
  { keyId, owner }: { keyId: string; owner?: { projectId: string; livemode: boolean } | undefined },
): Promise<void> {
  const isRevoked = uuidFromId('key', keyId) !== null && (await db.apiKeys.revoke(keyId, clock.now(), owner));
  if (!isRevoked) throw noSuchKey();
}
