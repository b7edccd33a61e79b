import { type Kysely, sql } from 'kysely';
import type { AspectRatio, GenerationType, Resolution } from '../domain/generation-request.ts';
import { lowestUuidAt, uuidFromId } from '../domain/id.ts';
import type { Task, TaskStatus } from '../domain/task.ts';
import { toUuid } from './ids.ts';
import type { LiveEntry } from './live-entries.ts';
import type { Schema } from './schema.ts';
import { toLive, toTask } from './task-row.ts';

export interface TaskFilter {
  status?: TaskStatus | undefined;
  type?: GenerationType | undefined;
  model?: string | undefined;
  resolution?: Resolution | undefined;
  aspectRatio?: AspectRatio | undefined;
  /** The key that created the task. A malformed id matches nothing. */
  keyId?: string | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
  /** The prompt contains all of these words. */
  words?: string | undefined;
}

interface TaskPage {
  owner: { projectId: string; livemode: boolean };
  filter: TaskFilter;
  order: 'asc' | 'desc';
  /** The last task of the page before, or null for the first page. */
  after: string | null;
  limit: number;
}

/** An id is made before the image is fetched, and its row's created_at after that: they are at most this far apart. */
const longestAcceptMilliseconds = 10 * 60 * 1000;

/** The tasks of a project, page by page. */
export function taskListTable(db: Kysely<Schema>) {
  return {
    /**
     * Returns at most `limit` tasks with the last reported progress of each. It pages by keyset on the index (project,
     * mode, id) of each day: a page reads as many rows as it returns, plus the project's rows that the filter leaves
     * out.
     */
    async page({ owner, filter, order, after, limit }: TaskPage): Promise<{ task: Task; live: LiveEntry | null }[]> {
      let query = db
        .selectFrom('tasks')
        .leftJoin('live_entries', 'live_entries.task_id', 'tasks.id')
        .selectAll('tasks')
        .select([
          'live_entries.attempt as live_attempt',
          'live_entries.stage as live_stage',
          'live_entries.progress as live_progress',
          'live_entries.progress_source as live_progress_source',
        ])
        // As an array of one: for a plain equality the planner may walk the primary key instead and read the tasks of
        // all other projects, thousands of rows for a page of a busy project that has been quiet for some hours.
        .where('tasks.project_id', '=', sql<string>`any(array[${toUuid('proj', owner.projectId)}::uuid])`)
        .where('tasks.livemode', '=', owner.livemode)
        .where('tasks.deleted_at', 'is', null);
      if (after !== null) query = query.where('tasks.id', order === 'asc' ? '>' : '<', toUuid('task', after));

      const { status, type, model, resolution, aspectRatio, keyId, createdAfter, createdBefore, words } = filter;
      const key = keyId === undefined ? undefined : uuidFromId('key', keyId);
      if (key === null) return [];
      if (key !== undefined) query = query.where('tasks.key_id', '=', key);
      if (status !== undefined) query = query.where('tasks.status', '=', status);
      if (type !== undefined) query = query.where('tasks.type', '=', type);
      if (model !== undefined) query = query.where('tasks.model', '=', model);
      if (resolution !== undefined) query = query.where('tasks.resolution', '=', resolution);
      if (aspectRatio !== undefined) query = query.where('tasks.aspect_ratio', '=', aspectRatio);
      // The bounds on the id exclude whole days; created_at decides exactly.
      if (createdAfter !== undefined) {
        const earliest = new Date(Math.max(0, createdAfter.getTime() - longestAcceptMilliseconds));
        query = query.where('tasks.created_at', '>=', createdAfter).where('tasks.id', '>=', lowestUuidAt(earliest));
      }
      if (createdBefore !== undefined) {
        query = query.where('tasks.created_at', '<', createdBefore).where('tasks.id', '<', lowestUuidAt(createdBefore));
      }
      if (words !== undefined) {
        // This must be exactly the expression of the index tasks_by_words.
        query = query.where(sql<boolean>`to_tsvector('simple', tasks.prompt) @@ plainto_tsquery('simple', ${words})`);
      }
      const rows = await query.orderBy('tasks.project_id', order).orderBy('tasks.id', order).limit(limit).execute();
      return rows.map((row) => ({ task: toTask(row), live: toLive(row) }));
    },
  };
}
