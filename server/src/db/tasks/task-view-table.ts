import type { Kysely } from 'kysely';
import { anyOf, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { type LiveColumns, type ShownTaskRow, taskColumns, toLive, toTask } from './task-row.ts';

/** Tasks with everything that their readers are shown, in one query. */
export function taskViewTable(db: Kysely<Schema>) {
  return {
    /** Returns a task if it belongs to this project and mode. */
    async find(id: string, reader: { projectId: string; livemode: boolean }) {
      const row = await viewRows(db)
        .where('tasks.id', '=', toUuid('task', id))
        .where('tasks.project_id', '=', toUuid('proj', reader.projectId))
        .where('tasks.livemode', '=', reader.livemode)
        .executeTakeFirst();
      return row ? toView(row) : null;
    },

    /** Returns many tasks of any owner, in no particular order; those that no longer exist are left out. */
    async findMany(ids: readonly string[]) {
      if (ids.length === 0) return [];
      const uuids = ids.map((id) => toUuid('task', id));
      const rows = await viewRows(db).where('tasks.id', '=', anyOf(uuids)).execute();
      return rows.map(toView);
    },
  };
}

/** The columns of a task's live entry, as `toLive` reads them. */
export const liveColumns = [
  'live_entries.attempt as live_attempt',
  'live_entries.stage as live_stage',
  'live_entries.progress as live_progress',
  'live_entries.progress_source as live_progress_source',
] as const;

function viewRows(db: Kysely<Schema>) {
  return db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .innerJoin('project_slots', (join) =>
      join
        .onRef('project_slots.project_id', '=', 'tasks.project_id')
        .onRef('project_slots.livemode', '=', 'tasks.livemode'),
    )
    .leftJoin('live_entries', 'live_entries.task_id', 'tasks.id')
    .select([
      ...taskColumns,
      'projects.reads_per_minute',
      'projects.suspended_at',
      'project_slots.running',
      'project_slots.waiting',
      ...liveColumns,
    ]);
}

/** What a reader is shown of a task, before its forecast is added. */
export type StoredView = ReturnType<typeof toView>;

type ViewRow = ShownTaskRow & LiveColumns & ProjectColumns;

interface ProjectColumns {
  reads_per_minute: number;
  suspended_at: Date | null;
  running: number;
  waiting: number;
}

export function toView(row: ViewRow) {
  return {
    task: toTask(row),
    activeTasks: row.running + row.waiting,
    readsPerMinute: row.reads_per_minute,
    isProjectSuspended: row.suspended_at !== null,
    live: toLive(row),
  };
}
