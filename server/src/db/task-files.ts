import type { Kysely } from 'kysely';
import { taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** A task whose files are to go, with the objects that its row names. */
export interface TaskWithFiles {
  taskId: string;
  objectKeys: string[];
  /** The row of a deleted task names no longer all that it had. */
  isDeleted: boolean;
}

/** Which tasks still have files. A partial index holds those alone. */
export function taskFileTable(db: Kysely<Schema>) {
  return {
    /** Tasks whose files have had their time by this moment, longest ago first; a deleted task's had it at once. */
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

    /** To be called once the objects are deleted: a crash in between deletes them again, which is no error. */
    async markGone(ids: readonly string[]): Promise<void> {
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
