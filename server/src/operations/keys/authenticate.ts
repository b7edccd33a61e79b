import { createHash } from 'node:crypto';
import type { FoundKey } from '../../db/access/find-key-by-hash.ts';
import type { Database } from '../../db/database.ts';
import type { StoredView } from '../../db/tasks/task-view-table.ts';
import { parseApiKey } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';

/** The caller that a key belongs to, and the task that was read together with the key. */
export interface Authenticated {
  caller: Caller;
  /** Undefined if no task was asked for; null if the caller has no such task. */
  view: StoredView | null | undefined;
}

/** Returns the caller that a key belongs to. A mistyped key is refused by its checksum, without a query. */
export async function authenticate(
  { db, clock }: { db: Database; clock: Clock },
  key: string,
  sha256 = hashApiKey(key),
): Promise<Caller> {
  return (await authenticateFor({ db, clock }, { key, sha256, taskId: null })).caller;
}

/** Authenticates, and reads a task of the caller in the same statement. Nothing of the task is returned if it throws. */
export async function authenticateFor(
  { db, clock }: { db: Database; clock: Clock },
  { key, sha256, taskId }: { key: string; sha256: Buffer; taskId: string | null },
): Promise<Authenticated> {
  if (!parseApiKey(key)) throw new AppError('invalid_api_key');
  const found = await db.apiKeys.findByHash(sha256, taskId);
  if (!found) throw new AppError('invalid_api_key');
  if (found.revokedAt !== null) throw new AppError('revoked_api_key');
  if (found.expiresAt !== null && found.expiresAt <= clock.now()) throw new AppError('expired_api_key');
  return { caller: callerOfKey(found), view: taskId === null ? undefined : found.view };
}

/** Returns what a key itself makes of its holder. */
export function callerOfKey(found: FoundKey): Caller {
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
