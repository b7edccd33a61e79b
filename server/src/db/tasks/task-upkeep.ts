import type { Kysely } from 'kysely';
import { activeStatuses } from '../../domain/task.ts';
import { anyOf, taskId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** What a task's row says about its objects. A deleted task names none. */
export interface NamedObjects {
  keys: readonly string[];
  isActive: boolean;
  isDeleted: boolean;
}

/** What the reconciler, the sweep and a purge need of the rows of tasks. */
export function taskUpkeep(db: Kysely<Schema>) {
  return {
    /** Returns tasks of a project in both modes that are not deleted, in order of creation, starting after one of them. */
    async undeletedOf(project: string, after: string | null, limit: number): Promise<string[]> {
      const ofMode = async (livemode: boolean) => {
        let query = db
          .selectFrom('tasks')
          .select('id')
          .where('project_id', '=', toUuid('proj', project))
          .where('livemode', '=', livemode)
          .where('deleted_at', 'is', null);
        if (after !== null) query = query.where('id', '>', toUuid('task', after));
        return (await query.orderBy('id').limit(limit).execute()).map((row) => taskId(row.id));
      };
      // Ids sort by creation in either form. Each mode has its own part of the index.
      return [...(await ofMode(true)), ...(await ofMode(false))].sort().slice(0, limit);
    },

    /** Counts one more restart, if the task is still active and no other relay counted it first. */
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

    /** What tasks' rows say about their objects. A missing row says nothing: the database may be another or older. */
    async namedObjects(ids: readonly string[]): Promise<ReadonlyMap<string, NamedObjects>> {
      const uuids = ids.map((id) => toUuid('task', id));
      const rows = await db
        .selectFrom('tasks')
        .select(['id', 'status', 'image', 'video', 'deleted_at'])
        .where('id', '=', anyOf(uuids))
        .execute();
      return new Map(
        rows.map(({ id, status, image, video, deleted_at }) => {
          const isDeleted = deleted_at !== null;
          const keys = [image?.objectKey, video?.objectKey, video?.thumbnailKey, video?.spritesheetKey];
          const isActive = !isDeleted && (status === 'queued' || status === 'in_progress');
          return [taskId(id), { keys: isDeleted ? [] : keys.filter((key) => key !== undefined), isActive, isDeleted }];
        }),
      );
    },

    /** Returns the id of the newest task, or null if there is none. */
    async newest(): Promise<string | null> {
      const row = await db.selectFrom('tasks').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row ? taskId(row.id) : null;
    },
  };
}
