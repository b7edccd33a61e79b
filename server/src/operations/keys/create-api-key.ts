import type { ApiKey } from '../../db/access/api-key-table.ts';
import type { Database, Tables } from '../../db/database.ts';
import type { Actor } from '../../domain/actor.ts';
import { generateApiKey } from '../../domain/api-key.ts';
import { scopes as allScopes, type Scope } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import { shardOfId } from '../../domain/shard.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { hashApiKey } from './authenticate.ts';

interface NewApiKey {
  projectId: string;
  livemode: boolean;
  name: string;
  /** Defaults to all scopes. */
  scopes?: readonly Scope[] | undefined;
  expiresAt?: Date | null | undefined;
  /** The text of the key, if the operator has chosen it; by default a new one. */
  key?: string | undefined;
}

/** A key that was just created, with its text. */
export type IssuedApiKey = ApiKey & { key: string };

/** Limited because each key has its own limit of reads, and because nobody can review more keys than this. */
export const validKeysAtMost = 100;

/** Creates a key. Its text is in the result and nowhere else: only its hash is stored. */
export async function createApiKey(
  { db, clock }: { db: Database; clock: Clock },
  actor: Actor,
  options: NewApiKey,
): Promise<IssuedApiKey> {
  return db.transaction(async (tables) => {
    const now = clock.now();
    await tables.apiKeys.lockProject(options.projectId);
    await requireAccepted(tables, actor, now);
    const { projectId, livemode } = options;
    const made = await issueApiKey(tables, actor, options, now);
    const detail = { scopes: made.scopes, expires_at: made.expiresAt?.toISOString() ?? null };
    const event = { action: 'api_key.created', objectId: made.id, of: { projectId, livemode }, detail } as const;
    await recordAuditEvent(tables, actor, event, now);
    return made;
  });
}

/** Throws if the key or session was ended since it was authenticated: a key that it creates would outlive it. */
export async function requireAccepted({ apiKeys }: Tables, actor: Actor, now: Date): Promise<void> {
  if ('operator' in actor) return;
  const user = { keyId: actor.keyId, sessionId: actor.person?.sessionId ?? null };
  const [refusal = null] = await apiKeys.refused([user], now);
  if (refusal !== null) throw new AppError(refusal);
}

/** Creates a key inside a transaction that has locked the keys of the project. */
export async function issueApiKey(tables: Tables, actor: Actor, options: NewApiKey, now: Date): Promise<IssuedApiKey> {
  const { projectId, livemode, name } = options;
  if ((await tables.apiKeys.countValid({ projectId, livemode }, now)) >= validKeysAtMost) {
    throw new AppError('too_many_api_keys', {
      message: `API key limit reached (${validKeysAtMost}). Revoke one first, or rotate without an overlap.`,
    });
  }
  const key = options.key ?? generateApiKey(livemode, shardOfId(projectId));
  const made: ApiKey = {
    id: newId('key', now, projectId),
    projectId,
    livemode,
    name,
    scopes: options.scopes ?? allScopes,
    prefix: key.slice(0, 'kin_live_'.length),
    lastFour: key.slice(-4),
    createdAt: now,
    expiresAt: options.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    createdByKeyId: 'operator' in actor ? null : actor.keyId,
  };
  await tables.apiKeys.insert(made, hashApiKey(key));
  return { ...made, key };
}
