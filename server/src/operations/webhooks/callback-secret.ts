import type { Database, Tables } from '../../db/database.ts';
import type { SealedCallbackSecrets } from '../../db/webhooks/callback-secret-table.ts';
import type { KeyHolder } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { auditEventOf, recordAuditEvent } from '../audit/record-audit-event.ts';
import { makeSecret, replaceSecret, rowOfCallbacks, type SecretTools, secretsInUse } from './webhook-secrets.ts';

interface Dependencies extends SecretTools {
  db: Database;
  clock: Clock;
}

/** The secret that signs the callbacks of tasks, as its owner sees it. */
export interface CallbackSecret {
  secret: string;
  createdAt: Date;
  /** Until when the previous secret signs too; null if it does not. */
  previousExpiresAt: Date | null;
}

/**
 * Returns the secret that signs the callbacks of a project and mode; it is created when first needed. The audit log records
 * the first of the reads by one key within a minute, so that a key that reads all the time does not fill it.
 */
export async function readCallbackSecret(dependencies: Dependencies, owner: KeyHolder): Promise<CallbackSecret> {
  const { db, box, clock } = dependencies;
  const sealed = await ensureSecret(dependencies, db, owner);
  const now = clock.now();
  const [secret] = secretsInUse(box, rowOfCallbacks(owner), sealed, now) ?? [];
  if (secret === undefined)
    throw new Error('the callback secret cannot be decrypted: KINORA_SECRET_KEYS lacks its key');
  await db.auditEvents.insertOncePerMinute(auditEventOf(owner, { action: 'callback_secret.read' }, now));
  const expiry = sealed.previousSecretExpiresAt;
  return { secret, createdAt: sealed.createdAt, previousExpiresAt: expiry !== null && expiry > now ? expiry : null };
}

/** Replaces the secret; the previous one signs too until the overlap ends. */
export async function rotateCallbackSecret(
  dependencies: Dependencies,
  owner: KeyHolder,
  overlapSeconds: number,
): Promise<CallbackSecret> {
  const { db, clock } = dependencies;
  return db.transaction(async (tables) => {
    await ensureSecret(dependencies, tables, owner);
    const former = await tables.callbackSecrets.lock(owner);
    if (!former) throw new Error('the callback secret vanished');
    const now = clock.now();
    const overlap = { seconds: overlapSeconds, from: now };
    const { secret, sealed } = replaceSecret(dependencies, rowOfCallbacks(owner), former, overlap);
    await tables.callbackSecrets.replace(owner, sealed, now);
    const detail = { overlap_seconds: overlapSeconds };
    await recordAuditEvent(tables, owner, { action: 'callback_secret.rotated', detail }, now);
    return { secret, createdAt: now, previousExpiresAt: sealed.previousSecretExpiresAt };
  });
}

/** Returns the secrets that sign a callback now; null if one of them cannot be decrypted. */
export async function callbackSecretsInUse(dependencies: Dependencies, owner: ProjectMode): Promise<string[] | null> {
  const sealed = await ensureSecret(dependencies, dependencies.db, owner);
  return secretsInUse(dependencies.box, rowOfCallbacks(owner), sealed, dependencies.clock.now());
}

async function ensureSecret(
  tools: SecretTools & { clock: Clock },
  tables: Pick<Tables, 'callbackSecrets'>,
  owner: ProjectMode,
): Promise<SealedCallbackSecrets> {
  const existing = await tables.callbackSecrets.find(owner);
  if (existing) return existing;
  const { sealed } = makeSecret(tools, rowOfCallbacks(owner));
  await tables.callbackSecrets.insert(owner, sealed.secret, tools.clock.now());
  // The secret is read back, because another process may have inserted one first.
  const made = await tables.callbackSecrets.find(owner);
  if (!made) throw new Error('the callback secret vanished');
  return made;
}
