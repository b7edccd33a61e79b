import type { Kysely, Selectable } from 'kysely';
import { type Scope, scopes } from '../domain/caller.ts';
import { keyId, projectId, toUuid } from './ids.ts';
import type { ApiKeyRow, Schema } from './schema.ts';

/** A key as it is stored: its hash, never its text. */
export interface ApiKey {
  id: string;
  projectId: string;
  livemode: boolean;
  name: string;
  scopes: readonly Scope[];
  prefix: string;
  lastFour: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export function apiKeyTable(db: Kysely<Schema>) {
  return {
    async insert(key: ApiKey, sha256: Buffer): Promise<void> {
      await db
        .insertInto('api_keys')
        .values({
          id: toUuid('key', key.id),
          project_id: toUuid('proj', key.projectId),
          livemode: key.livemode,
          name: key.name,
          scopes: [...key.scopes],
          sha256,
          prefix: key.prefix,
          last_four: key.lastFour,
          created_at: key.createdAt,
          expires_at: key.expiresAt,
          revoked_at: key.revokedAt,
        })
        .execute();
    },

    /** A key by its hash, with whether its project is suspended. */
    async findByHash(sha256: Buffer): Promise<(ApiKey & { isProjectSuspended: boolean }) | null> {
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .selectAll('api_keys')
        .select('projects.suspended_at')
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row ? { ...toApiKey(row), isProjectSuspended: row.suspended_at !== null } : null;
    },

    async list(project: string): Promise<ApiKey[]> {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('project_id', '=', toUuid('proj', project))
        .orderBy('id')
        .limit(1000)
        .execute();
      return rows.map(toApiKey);
    },

    /** False when there is no such key; revoking twice keeps the first time. */
    async revoke(id: string, at: Date): Promise<boolean> {
      const row = await db
        .updateTable('api_keys')
        .set((current) => ({ revoked_at: current.fn.coalesce('revoked_at', current.val(at)) }))
        .where('id', '=', toUuid('key', id))
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toApiKey(row: Selectable<ApiKeyRow>): ApiKey {
  return {
    id: keyId(row.id),
    projectId: projectId(row.project_id),
    livemode: row.livemode,
    name: row.name,
    scopes: scopes.filter((scope) => row.scopes.includes(scope)),
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
