import type { Kysely } from 'kysely';
import { activeStatuses } from '../domain/task.ts';
import { toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** What the reconciler and the sweep need of the rows of tasks. */
export function taskUpkeep(db: Kysely<Schema>) {
  return {
    /**
     * Counts one more restart of a task's workflow, if the task is still active and no other relay counted it first.
     */
    async countRestart(id: string, restarts: number, at: Date): Promise<boolean> {
      const row = await db
        .updateTable('tasks')
        .set({ restarts: restarts + 1, checked_at: at })
        .where('id', '=', toUuid('task', id))
        .where('restarts', '=', restarts)
        .where('status', 'in', activeStatuses)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns the objects that the task's row names; none if the row does not exist or the task was deleted. */
    async namedObjects(id: string): Promise<{ keys: string[]; isActive: boolean }> {
      const row = await db
        .selectFrom('tasks')
        .select(['status', 'image', 'video'])
        .where('id', '=', toUuid('task', id))
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (!row) return { keys: [], isActive: false };
      const keys = [row.image?.objectKey, row.video?.objectKey, row.video?.thumbnailKey, row.video?.spritesheetKey];
      return {
        keys: keys.filter((key) => key !== undefined),
        isActive: row.status === 'queued' || row.status === 'in_progress',
      };
    },
  };
}
