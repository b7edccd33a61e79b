import { type Kysely, sql } from 'kysely';
import { taskId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { countFreed } from './stored-bytes-table.ts';

/** A task whose files are to be deleted, with the objects that its row names. */
export interface TaskWithFiles {
  taskId: string;
  objectKeys: string[];
  /** The row of a deleted task no longer names all of its objects. */
  isDeleted: boolean;
}

/** Tasks that still have files. A partial index holds only those. */
export function taskFileTable(db: Kysely<Schema>) {
  return {
    /** Returns tasks whose files have expired by this moment, oldest first. A deleted task's files expire at once. */
    async expired(moment: Date, limit: number): Promise<TaskWithFiles[]> {
      const rows = await db
        .selectFrom('tasks')
        .select(['id', 'image', 'video', 'deleted_at'])
        .where('expires_at', '<=', moment)
        .where('are_files_gone', '=', false)
        .orderBy('expires_at')
        .limit(limit)
        .execute();
      return rows.map(({ id, image, video, deleted_at }) => ({
        taskId: taskId(id),
        objectKeys: [image?.objectKey, video?.objectKey, video?.thumbnailKey, video?.spritesheetKey].filter(
          (key) => key !== undefined,
        ),
        isDeleted: deleted_at !== null,
      }));
    },

    /**
     * Marks the files of these tasks as deleted, and no longer counts their bytes. Call it after deleting the objects: a
     * crash in between only repeats the deletion. Rows are locked in the order of their ids, so that two processes that
     * delete the same files never deadlock.
     */
    async markDeleted(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      const uuids = ids.map((id) => toUuid('task', id));
      // The update names the ids once more, so that Postgres plans only the partitions that have them.
      await sql`
        with held as (
          select id from tasks where id = any(${uuids}::uuid[]) and not are_files_gone order by id for no key update
        )
        , freed as (
          update tasks set are_files_gone = true from held where tasks.id = held.id and tasks.id = any(${uuids}::uuid[])
          returning project_id, livemode, stored_bytes as bytes, 0 as uploads
        )
        ${countFreed}`.execute(db);
    },
  };
}
