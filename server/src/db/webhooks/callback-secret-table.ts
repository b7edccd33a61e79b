import { type Kysely, sql } from 'kysely';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { projectId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import {
  hasSecrets,
  isSealedOtherwise,
  type SealedOtherwise,
  type SealedSecrets,
  toSecretColumns,
} from '../connection/sealed-secrets.ts';

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
        .set({ ...toSecretColumns(sealed), created_at: at })
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .execute();
    },

    /** Returns a page of the secrets, of all owners, that begin with another header, in the order of their owners. */
    async sealedOtherwise(
      page: SealedOtherwise<{ owner: ProjectMode }>,
    ): Promise<{ owner: ProjectMode; sealed: SealedSecrets }[]> {
      let query = db.selectFrom('callback_secrets').selectAll().where(isSealedOtherwise(page));
      if (page.after) {
        const { projectId: id, livemode } = page.after.owner;
        query = query.where(sql<boolean>`(project_id, livemode) > (${toUuid('proj', id)}::uuid, ${livemode}::boolean)`);
      }
      const rows = await query.orderBy('project_id').orderBy('livemode').limit(page.limit).execute();
      return rows.map((row) => ({
        owner: { projectId: projectId(row.project_id), livemode: row.livemode },
        sealed: toSecrets(row),
      }));
    },

    /** Replaces secrets by the same ones under another key. Returns false if they have changed since they were read. */
    async reseal(owner: ProjectMode, from: SealedSecrets, to: SealedSecrets): Promise<boolean> {
      const row = await db
        .updateTable('callback_secrets')
        .set(toSecretColumns(to))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .where(hasSecrets(from))
        .returning('project_id')
        .executeTakeFirst();
      return row !== undefined;
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
