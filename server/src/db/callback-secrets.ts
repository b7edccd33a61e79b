import type { Kysely } from 'kysely';
import type { ProjectMode } from '../domain/project-mode.ts';
import { toUuid } from './ids.ts';
import type { Schema } from './schema.ts';
import type { SealedSecrets } from './webhook-endpoints.ts';

export type SealedCallbackSecrets = SealedSecrets & { createdAt: Date };

/** The secrets that sign the callbacks of tasks: one per project and mode. */
export function callbackSecretTable(db: Kysely<Schema>) {
  return {
    async find(owner: ProjectMode): Promise<SealedCallbackSecrets | null> {
      const row = await ownedBy(owner).executeTakeFirst();
      return row ? toSecrets(row) : null;
    },

    /** Returns the secrets and locks them until the transaction ends. */
    async lock(owner: ProjectMode): Promise<SealedCallbackSecrets | null> {
      const row = await ownedBy(owner).forUpdate().executeTakeFirst();
      return row ? toSecrets(row) : null;
    },

    /** Writes the first secret. If another process has already written one, that one stays. */
    async insert(owner: ProjectMode, secret: Buffer, at: Date): Promise<void> {
      await db
        .insertInto('callback_secrets')
        .values({
          project_id: toUuid('proj', owner.projectId),
          livemode: owner.livemode,
          secret,
          created_at: at,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async replace(owner: ProjectMode, sealed: SealedSecrets, at: Date): Promise<void> {
      await db
        .updateTable('callback_secrets')
        .set({
          secret: sealed.secret,
          previous_secret: sealed.previousSecret,
          previous_secret_expires_at: sealed.previousSecretExpiresAt,
          created_at: at,
        })
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .execute();
    },
  };

  function ownedBy(owner: ProjectMode) {
    return db
      .selectFrom('callback_secrets')
      .selectAll()
      .where('project_id', '=', toUuid('proj', owner.projectId))
      .where('livemode', '=', owner.livemode);
  }
}

function toSecrets(row: {
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  created_at: Date;
}): SealedCallbackSecrets {
  return {
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousSecretExpiresAt: row.previous_secret_expires_at,
    createdAt: row.created_at,
  };
}
