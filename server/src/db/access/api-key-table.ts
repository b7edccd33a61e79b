import { type Kysely, type Selectable, sql } from 'kysely';
import { type Scope, scopes } from '../../domain/caller.ts';
import { lowestUuidAt } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { ErrorCode } from '../../errors.ts';
import { anyOf, keyId, projectId, toUuid } from '../connection/ids.ts';
import type { ApiKeyRow, Schema } from '../connection/schema.ts';
import { earlierOf, type FoundKey, findKeyByHash } from './find-key-by-hash.ts';
import { type FoundKeyOfToken, findKeyById } from './find-key-by-id.ts';
import { findRefusals, type KeyUser } from './find-refusals.ts';

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
  /** The key that created this one, by a create or a rotation; null if an operator did. */
  createdByKeyId: string | null;
}

/** Keys of programs and people. A person's key has no text and belongs to sessions: only what authenticates sees it. */
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
          created_by_key_id: key.createdByKeyId && toUuid('key', key.createdByKeyId),
        })
        .execute();
    },

    /** Returns the id of the key of a person in a project and mode. Creates it with this id and hash if there is none. */
    async ensureForPerson(
      person: { id: string; name: string },
      owner: ProjectMode,
      { id, sha256, now }: { id: string; sha256: Buffer; now: Date },
    ): Promise<string> {
      const row = await db
        .insertInto('api_keys')
        .values({
          id: toUuid('key', id),
          project_id: toUuid('proj', owner.projectId),
          livemode: owner.livemode,
          name: person.name,
          scopes: [...scopes],
          sha256,
          prefix: 'person',
          last_four: '',
          created_at: now,
          expires_at: null,
          revoked_at: null,
          last_used_at: null,
          overlap_ends_at: null,
          created_by_key_id: null,
          person_id: toUuid('person', person.id),
        })
        // Returns the existing row and follows a changed name; the previous version may have revoked or rotated it.
        .onConflict((conflict) =>
          conflict
            .columns(['person_id', 'project_id', 'livemode'])
            .where('person_id', 'is not', null)
            .doUpdateSet({ name: person.name, revoked_at: null, expires_at: null, overlap_ends_at: null }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      return keyId(row.id);
    },

    /** Returns a key by its hash, and in the same statement a task of its project and mode, if an id is given. */
    findByHash: (sha256: Buffer, taskId: string | null = null): Promise<FoundKey | null> =>
      findKeyByHash(db, sha256, taskId),

    /** Returns a key by its id, and in the same statement a session of its person and a task of its project and mode. */
    findById: (id: string, also: Parameters<typeof findKeyById>[2]): Promise<FoundKeyOfToken | null> =>
      findKeyById(db, id, also),

    /** Returns the hashes of the newest keys made since a moment that are neither revoked nor expired, oldest first. */
    async usableHashes({ since, at, limit }: { since: Date; at: Date; limit: number }): Promise<Buffer[]> {
      const rows = await db
        .selectFrom('api_keys')
        .select('sha256')
        .where('id', '>=', lowestUuidAt(since))
        .where('person_id', 'is', null)
        .where('revoked_at', 'is', null)
        .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', at)]))
        .where((key) => key.or([key('overlap_ends_at', 'is', null), key('overlap_ends_at', '>', at)]))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ sha256 }) => sha256).toReversed();
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
        .where('livemode', '=', owner.livemode)
        .where('person_id', 'is', null);
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
        .where('person_id', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** One transaction at a time creates or ends a project's keys: they can be counted, a revoked one creates none. */
    async lockProject(project: string): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtext('kinora-api-keys'), hashtext(${project}))`.execute(db);
    },

    /** Returns a key with the expiry that its successor inherits. */
    async find(id: string): Promise<(ApiKey & { ownExpiresAt: Date | null }) | null> {
      const row = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', toUuid('key', id))
        .where('person_id', 'is', null)
        .executeTakeFirst();
      return row ? { ...toApiKey(row), ownExpiresAt: row.expires_at } : null;
    },

    /** Counts the keys of a project and mode that are accepted at a moment. */
    async countValid(owner: ProjectMode, at: Date): Promise<number> {
      const row = await db
        .selectFrom('api_keys')
        .select((key) => key.fn.countAll<string>().as('count'))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .where('person_id', 'is', null)
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`coalesce(least(expires_at, overlap_ends_at) > ${at}, true)`)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
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

    /** Returns every key of a project in both modes, newest first and page by page, so that none is hidden by others. */
    async *pagesOf(project: string, pageSize = 500): AsyncGenerator<ApiKey[]> {
      for (let last: string | undefined; ; ) {
        let query = db
          .selectFrom('api_keys')
          .selectAll()
          .where('project_id', '=', toUuid('proj', project))
          .where('person_id', 'is', null);
        if (last !== undefined) query = query.where('id', '<', last);
        const rows = await query.orderBy('id', 'desc').limit(pageSize).execute();
        if (rows.length > 0 || last === undefined) yield rows.map(toApiKey);
        if (rows.length < pageSize) return;
        last = rows.at(-1)?.id;
      }
    },

    /** Returns why each of these is refused at a moment, or null if it is accepted, in the given order. */
    refused: (users: readonly KeyUser[], at: Date): Promise<(ErrorCode | null)[]> => findRefusals(db, users, at),

    /** Returns the ids of a key, of the keys that it created, of those that they created, and so on. */
    async familyOf(id: string): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`
        with recursive family (id) as (
          select ${toUuid('key', id)}::uuid
          union select api_keys.id from api_keys join family on api_keys.created_by_key_id = family.id)
        select id from family`.execute(db);
      return rows.map((row) => keyId(row.id));
    },

    /** Revokes keys, or all of a project; returns them. Not those of people, who would be locked out for good. */
    async revoke(
      which: { ids: readonly string[] } | { projectId: string },
      at: Date,
    ): Promise<(ProjectMode & { id: string })[]> {
      const rows = await db
        // Rows are locked in the order of their ids, as in `noteUse`.
        .with('unrevoked', (inner) => {
          const keys = inner
            .selectFrom('api_keys')
            .select('id')
            .where('person_id', 'is', null)
            .where('revoked_at', 'is', null);
          const wanted =
            'ids' in which
              ? keys.where('id', '=', anyOf(which.ids.map((id) => toUuid('key', id))))
              : keys.where('project_id', '=', toUuid('proj', which.projectId));
          return wanted.orderBy('id').forNoKeyUpdate();
        })
        .updateTable('api_keys')
        .from('unrevoked')
        .set({ revoked_at: at })
        .whereRef('api_keys.id', '=', 'unrevoked.id')
        .returning(['api_keys.id', 'project_id', 'livemode'])
        .execute();
      return rows.map((row) => ({ id: keyId(row.id), projectId: projectId(row.project_id), livemode: row.livemode }));
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
    createdByKeyId: row.created_by_key_id && keyId(row.created_by_key_id),
  };
}
