import type { Kysely, Selectable } from 'kysely';
import type { ProjectMode } from '../domain/project-mode.ts';
import { fileId, keyId, projectId, toUuid } from './ids.ts';
import type { FileRow, Schema } from './schema.ts';

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
    async insert(file: StoredFile): Promise<void> {
      await db
        .insertInto('files')
        .values({
          id: toUuid('file', file.id),
          project_id: toUuid('proj', file.projectId),
          livemode: file.livemode,
          key_id: toUuid('key', file.keyId),
          object_key: file.objectKey,
          name: file.name,
          content_type: file.contentType,
          size_bytes: file.sizeBytes,
          sha256: file.sha256,
          width: file.width,
          height: file.height,
          created_at: file.createdAt,
          expires_at: file.expiresAt,
        })
        .execute();
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

    /**
     * Returns files that have expired by this moment, oldest first. Delete their objects before their rows, so that the
     * deletion is repeated after a crash.
     */
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

    async delete(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db
        .deleteFrom('files')
        .where(
          'id',
          'in',
          ids.map((id) => toUuid('file', id)),
        )
        .execute();
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
