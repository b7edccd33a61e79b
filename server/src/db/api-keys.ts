import { type Kysely, type Selectable, sql } from 'kysely';
import { type CallerLimits, type Scope, scopes } from '../domain/caller.ts';
import type { ProjectMode } from '../domain/project-mode.ts';
import type { ErrorCode } from '../errors.ts';
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
  /** Its own expiry or, if that comes first, the end of the overlap with the key that replaced it. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Accurate to the minute. */
  lastUsedAt: Date | null;
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
          last_used_at: key.lastUsedAt,
          overlap_ends_at: null,
        })
        .execute();
    },

    /** Returns a key by its hash, with the limits of its project in the key's mode. */
    async findByHash(sha256: Buffer): Promise<(ApiKey & { isProjectSuspended: boolean; limits: CallerLimits }) | null> {
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .innerJoin('project_slots', (join) =>
          join
            .onRef('project_slots.project_id', '=', 'api_keys.project_id')
            .onRef('project_slots.livemode', '=', 'api_keys.livemode'),
        )
        .selectAll('api_keys')
        .select([
          'projects.suspended_at',
          'projects.creates_per_minute',
          'projects.reads_per_minute',
          'projects.running_limit',
          'projects.waiting_limit',
          'project_slots.running',
          'project_slots.waiting',
          'project_slots.create_allowed_at',
        ])
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      if (!row) return null;
      return {
        ...toApiKey(row),
        isProjectSuspended: row.suspended_at !== null,
        limits: {
          createsPerMinute: row.creates_per_minute,
          createAllowedAt: toMoment(row.create_allowed_at),
          readsPerMinute: row.reads_per_minute,
          runningLimit: row.running_limit,
          running: row.running,
          waitingLimit: row.waiting_limit,
          waiting: row.waiting,
        },
      };
    },

    /** Returns the keys of a project and mode in order of creation, starting after the key `after`. */
    async page(
      owner: ProjectMode,
      { after, limit, order }: { after: string | null; limit: number; order: 'asc' | 'desc' },
    ): Promise<ApiKey[]> {
      let query = db
        .selectFrom('api_keys')
        .selectAll()
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode);
      if (after !== null) query = query.where('id', order === 'asc' ? '>' : '<', toUuid('key', after));
      return (await query.orderBy('id', order).limit(limit).execute()).map(toApiKey);
    },

    /** Returns whether the key exists and belongs to this owner. */
    async isOf(owner: ProjectMode, id: string): Promise<boolean> {
      const row = await db
        .selectFrom('api_keys')
        .select('id')
        .where('id', '=', toUuid('key', id))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns a key with the expiry that its successor inherits, and locks it until the transaction ends. */
    async lock(id: string): Promise<(ApiKey & { ownExpiresAt: Date | null }) | null> {
      const row = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', toUuid('key', id))
        .forUpdate()
        .executeTakeFirst();
      return row ? { ...toApiKey(row), ownExpiresAt: row.expires_at } : null;
    },

    /** Sets when a replaced key stops working; the earliest moment that was ever set counts. */
    async endOverlapAt(id: string, at: Date): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ overlap_ends_at: sql`least(overlap_ends_at, ${at})` })
        .where('id', '=', toUuid('key', id))
        .execute();
    },

    /** Records the last use of many keys in one statement; an older time never replaces a newer one. */
    async noteUse(uses: readonly { keyId: string; at: Date }[]): Promise<void> {
      if (uses.length === 0) return;
      const ids = uses.map(({ keyId: id }) => toUuid('key', id));
      const times = uses.map(({ at }) => at.toISOString());
      // Rows are locked in the order of their ids, so that two processes that record the same keys never deadlock.
      await sql`
        with uses as (select * from unnest(${ids}::uuid[], ${times}::timestamptz[]) as use (id, at)),
          stale as (
            select api_keys.id, uses.at from api_keys join uses using (id)
            where last_used_at is null or last_used_at < uses.at
            order by api_keys.id for no key update of api_keys)
        update api_keys set last_used_at = stale.at from stale where api_keys.id = stale.id`.execute(db);
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

    /** Returns which of these keys are refused at a moment, and why, in one query. */
    async refused(ids: readonly string[], at: Date): Promise<Map<string, ErrorCode>> {
      const rows = await db
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .selectAll('api_keys')
        .select('projects.suspended_at')
        .where('api_keys.id', '=', sql<string>`any(${ids.map((id) => toUuid('key', id))}::uuid[])`)
        .execute();
      return new Map(
        rows.flatMap((row): [string, ErrorCode][] => {
          const { id, revokedAt, expiresAt } = toApiKey(row);
          if (revokedAt !== null) return [[id, 'revoked_api_key']];
          if (expiresAt !== null && expiresAt <= at) return [[id, 'expired_api_key']];
          return row.suspended_at === null ? [] : [[id, 'project_suspended']];
        }),
      );
    },

    /** Revokes a key; a second call keeps the first time. Returns false if this owner has no such key. */
    async revoke(id: string, at: Date, owner?: ProjectMode): Promise<boolean> {
      let query = db
        .updateTable('api_keys')
        .set((current) => ({ revoked_at: current.fn.coalesce('revoked_at', current.val(at)) }))
        .where('id', '=', toUuid('key', id));
      if (owner) {
        query = query.where('project_id', '=', toUuid('proj', owner.projectId)).where('livemode', '=', owner.livemode);
      }
      return (await query.returning('id').executeTakeFirst()) !== undefined;
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
    expiresAt: earlierOf(row.expires_at, row.overlap_ends_at),
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

function earlierOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Converts a column that is `-infinity`, which pg returns as a number, until the project's first create. */
function toMoment(moment: Date | number): Date {
  return moment instanceof Date ? moment : new Date(0);
}
