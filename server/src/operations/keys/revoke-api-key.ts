import type { Database, Tables } from '../../db/database.ts';
import type { Actor, Operator } from '../../domain/actor.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { auditEventOf } from '../audit/record-audit-event.ts';
import { findOwnKey } from './find-own-key.ts';
import { refuseLackingScopes } from './grant-api-key.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
}

/**
 * Revokes a key for good in every process, and with `withDescendants` also the keys that it created, directly or not.
 * A caller can revoke its own key and keys that can do no more; operators any key. Repeatable. Returns the revoked ids.
 */
export async function revokeApiKey(
  { db, clock }: Dependencies,
  { keyId, actor, withDescendants = false }: { keyId: string; actor: Caller | Operator; withDescendants?: boolean },
): Promise<string[]> {
  return db.transaction(async (tables) => {
    const caller = 'operator' in actor ? null : actor;
    const key = await findOwnKey(tables, keyId, caller);
    // A token may have fewer scopes than the key that made it.
    const isOwn = caller?.keyId === keyId && caller.tokenExpiresAt === undefined;
    if (caller && !isOwn) refuseLackingScopes(caller, key.scopes, 'revoke');
    const ids = withDescendants ? await tables.apiKeys.familyOf(keyId) : [keyId];
    return revoke(tables, actor, { ids }, clock.now());
  });
}

/** Revokes all keys of a project, in both modes. Returns the ids of the keys that it revoked. */
export async function revokeAllApiKeys(
  { db, clock }: Dependencies,
  operator: Operator,
  projectId: string,
): Promise<string[]> {
  return db.transaction(async (tables) => {
    await tables.apiKeys.lockProject(projectId);
    return revoke(tables, operator, { projectId }, clock.now());
  });
}

async function revoke(
  { apiKeys, auditEvents }: Tables,
  actor: Actor,
  which: Parameters<Tables['apiKeys']['revoke']>[0],
  now: Date,
): Promise<string[]> {
  const revoked = await apiKeys.revoke(which, now);
  const events = revoked.map(({ id, projectId, livemode }) =>
    auditEventOf(actor, { action: 'api_key.revoked', objectId: id, of: { projectId, livemode } }, now),
  );
  await auditEvents.insert(events);
  return revoked.map(({ id }) => id);
}
