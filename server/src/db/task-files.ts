import type { Kysely } from 'kysely';
import { taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

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
     * Marks the files of these tasks as deleted. Call it after deleting the objects: a crash in between only repeats
     * the deletion.
     */
    async markDeleted(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('tasks')
        .set({ are_files_gone: true })
        .where(
          'id',
          'in',
          ids.map((id) => toUuid('task', id)),
        )
        .execute();
    },
  };
}
