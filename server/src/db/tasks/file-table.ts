import { type Kysely, type Selectable, sql } from 'kysely';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { fileId, keyId, projectId, toUuid } from '../connection/ids.ts';
import type { FileRow, Schema } from '../connection/schema.ts';
import { countFreed } from './stored-bytes-table.ts';

/** An image that was uploaded once to be used by tasks. */
export interface StoredFile {
  id: string;
  projectId: string;
  livemode: boolean;
  keyId: string;
  objectKey: string;
  name: string | null;
  contentType: string;
  sizeBytes: number;
  /** The digest of the stored bytes, after the image was normalised. */
  sha256: string;
  width: number;
  height: number;
  createdAt: Date;
  expiresAt: Date;
}

export function fileTable(db: Kysely<Schema>) {
  return {
    /** Inserts a file and counts it. Returns false if a limit of its project on stored files refuses it. */
    async insert(file: StoredFile): Promise<boolean> {
      const result = await sql`
        with counted as (
          update project_slots set stored_bytes = stored_bytes + ${file.sizeBytes}::bigint, uploaded_files = uploaded_files + 1
          from projects
          where projects.id = project_slots.project_id
            and project_slots.project_id = ${toUuid('proj', file.projectId)} and livemode = ${file.livemode}
            and stored_bytes + ${file.sizeBytes}::bigint <= storage_limit_bytes and uploaded_files < files_limit
          returning project_slots.project_id, livemode
        )
        insert into files (id, project_id, livemode, key_id, object_key, name, content_type, size_bytes, sha256, width,
          height, created_at, expires_at)
        select ${toUuid('file', file.id)}::uuid, project_id, livemode, ${toUuid('key', file.keyId)}::uuid,
          ${file.objectKey}, ${file.name}::text, ${file.contentType}, ${file.sizeBytes}::integer, ${file.sha256},
          ${file.width}::integer, ${file.height}::integer, ${file.createdAt}::timestamptz, ${file.expiresAt}::timestamptz
        from counted`.execute(db);
      return result.numAffectedRows === 1n;
    },

    /** Returns a file of this project and mode that has not expired. */
    async find(owner: ProjectMode, id: string, now: Date): Promise<StoredFile | null> {
      const row = await db
        .selectFrom('files')
        .selectAll()
        .where('id', '=', toUuid('file', id))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row ? toFile(row) : null;
    },

    /** Makes a file expire at once. Returns null if it does not exist or has expired already. */
    async expire(owner: ProjectMode, id: string, now: Date): Promise<StoredFile | null> {
      const row = await db
        .updateTable('files')
        .set({ expires_at: now })
        .where('id', '=', toUuid('file', id))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst();
      return row ? toFile(row) : null;
    },

    /** Makes at most `limit` files of a project expire at once, in either mode, and returns them. */
    async expireSomeOf(project: string, now: Date, limit: number): Promise<StoredFile[]> {
      const some = db.selectFrom('files').select('id').where('project_id', '=', toUuid('proj', project)).limit(limit);
      const rows = await db
        .updateTable('files')
        .set((row) => ({ expires_at: row.fn<Date>('least', ['expires_at', row.val(now)]) }))
        .where('id', 'in', some)
        .returningAll()
        .execute();
      return rows.map(toFile);
    },

    /** Files that have expired, oldest first. Delete objects before rows, so that a crash repeats the deletion. */
    async takeExpired(moment: Date, limit: number): Promise<StoredFile[]> {
      const rows = await db
        .selectFrom('files')
        .selectAll()
        .where('expires_at', '<=', moment)
        .orderBy('expires_at')
        .limit(limit)
        .execute();
      return rows.map(toFile);
    },

    /** Deletes files and no longer counts them. Locks rows in id order, so that two deletions never deadlock. */
    async delete(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      const uuids = ids.map((id) => toUuid('file', id));
      await sql`
        with held as (select id from files where id = any(${uuids}::uuid[]) order by id for update)
        , freed as (
          delete from files using held where files.id = held.id
          returning project_id, livemode, size_bytes as bytes, 1 as uploads
        )
        ${countFreed}`.execute(db);
    },
  };
}

function toFile(row: Selectable<FileRow>): StoredFile {
  return {
    id: fileId(row.id),
    projectId: projectId(row.project_id),
    livemode: row.livemode,
    keyId: keyId(row.key_id),
    objectKey: row.object_key,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
