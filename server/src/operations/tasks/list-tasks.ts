import type { Database } from '../../db/database.ts';
import type { TaskFilter } from '../../db/task-list.ts';
import type { Caller } from '../../domain/caller.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';

export interface TaskListQuery {
  filter: TaskFilter;
  order: 'asc' | 'desc';
  after: string | null;
  limit: number;
}

/** Returns one page of the caller's tasks, without deleted ones. */
export async function listTasks(
  { db }: { db: Pick<Database, 'tasks' | 'taskList'> },
  caller: ProjectMode & Pick<Caller, 'limits'>,
  query: TaskListQuery,
) {
  if (query.after !== null) await refuseForeignCursor(db, caller, query.after);
  // One row beyond the limit shows whether there are more.
  const found = await db.taskList.page({ ...query, owner: caller, limit: query.limit + 1 });
  // The limits were read with the key, so this needs no query.
  const { running, waiting, readsPerMinute } = caller.limits;
  const activity = { activeTasks: running + waiting, readsPerMinute };
  return {
    ...activity,
    views: found.slice(0, query.limit).map((one) => ({ ...one, ...activity })),
    hasMore: found.length > query.limit,
  };
}

/** Throws if the cursor is foreign, unknown or malformed. A task that was deleted since still serves as one. */
async function refuseForeignCursor(db: Pick<Database, 'tasks'>, owner: ProjectMode, after: string): Promise<void> {
  const task = uuidFromId('task', after) === null ? null : await db.tasks.findOf(owner, after);
  if (task) return;
  const message = 'after must be the id of a task of this project; take last_id of the page before';
  throw new AppError('invalid_parameter', {
    message,
    param: 'after',
    details: [{ param: 'after', code: 'not_found', message }],
  });
}
